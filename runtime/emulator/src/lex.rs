//! PTX text to tokens.

/// A token and the line it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Identifier, directive (with its dot), opcode with its modifiers, register.
    Word(&'a str),
    /// Integer literal; a minus sign is a separate token.
    Int(u64),
    /// Quoted text.
    Str,
    /// One byte of punctuation.
    Punct(u8),
}

/// Why the text is not a token sequence.
#[derive(Debug)]
pub(super) struct LexError {
    pub(super) line: u32,
    pub(super) reason: String,
}

/// Tokens with their lines, from 1.
pub(super) fn lex(text: &str) -> Result<Vec<(Token<'_>, u32)>, LexError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() / 4);
    let mut line = 1u32;
    let mut i = 0;
    while let Some(&b) = bytes.get(i) {
        match b {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b' ' | b'\t' | b'\r' => i += 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while bytes.get(i).is_some_and(|&b| b != b'\n') {
                    i += 1;
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let end = text[i + 2..]
                    .find("*/")
                    .ok_or(LexError { line, reason: "unterminated comment".into() })?;
                line += text[i..i + 2 + end].matches('\n').count() as u32;
                i += end + 4;
            }
            b'"' => {
                let end =
                    text[i + 1..].find('"').ok_or(LexError { line, reason: "unterminated string".into() })?;
                out.push((Token::Str, line));
                i += end + 2;
            }
            b'0'..=b'9' => {
                let start = i;
                while bytes.get(i).is_some_and(|b| b.is_ascii_alphanumeric()) {
                    i += 1;
                }
                let word = &text[start..i];
                let value = integer(word)
                    .ok_or_else(|| LexError { line, reason: format!("`{word}` is not an integer") })?;
                out.push((Token::Int(value), line));
            }
            _ if is_word(b) => {
                let start = i;
                while let Some(&b) = bytes.get(i) {
                    if is_word(b) || b.is_ascii_digit() {
                        i += 1;
                    } else if b == b':' && bytes.get(i + 1) == Some(&b':') {
                        i += 2;
                    } else {
                        break;
                    }
                }
                out.push((Token::Word(&text[start..i]), line));
            }
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b',' | b';' | b':' | b'+' | b'-' | b'|' | b'!'
            | b'@' | b'<' | b'>' | b'=' => {
                out.push((Token::Punct(b), line));
                i += 1;
            }
            _ => return Err(LexError { line, reason: format!("byte {b:#04x} is not PTX") }),
        }
    }
    Ok(out)
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'%' | b'.')
}

fn integer(word: &str) -> Option<u64> {
    let word = word.strip_suffix('U').unwrap_or(word);
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if let Some(bits) = word.strip_prefix("0b") {
        return u64::from_str_radix(bits, 2).ok();
    }
    if word.len() > 1 && word.starts_with('0') {
        return u64::from_str_radix(&word[1..], 8).ok();
    }
    word.parse().ok()
}
