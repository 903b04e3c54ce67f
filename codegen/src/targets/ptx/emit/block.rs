//! Text with placeholders, as writers put it into a kernel: what may stand in it.

/// Instructions that blocks may use, without their type suffixes.
const OPCODES: &[&str] = &[
    ".reg", "add", "addc", "sub", "subc", "mul", "mad", "madc", "mov", "and", "or", "xor", "not", "shf",
    "shl", "shr", "selp", "setp", "min", "max", "lop3", "bar", "fence", "membar", "shfl", "vote", "match",
    "ld", "st", "atom", "prefetch",
];

/// Checks a block's text: known instructions, balanced braces, operands in range, every
/// output written, nothing that LLVM would interpret.
///
/// In `text`, `$0…` are the outputs, then the inputs in order. The error says what is wrong.
pub(super) fn check(text: &str, outputs: usize, inputs: usize) -> Result<(), String> {
    if let Some(c) = text.chars().find(|c| !(c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '\t'))) {
        return Err(format!("character {c:?}"));
    }
    let mut depth = 0i32;
    for c in text.chars() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth < 0 {
            return Err("unbalanced braces".into());
        }
    }
    if depth != 0 {
        return Err("unbalanced braces".into());
    }
    let mut written = vec![false; outputs];
    let body = text.trim_end_matches(['}', ' ', '\n', '\t']);
    if !body.is_empty() && !body.ends_with(';') {
        return Err("last instruction has no semicolon".into());
    }
    for line in text.split([';', '\n']) {
        let line = line.trim_matches(['{', '}', ' ', '\t']);
        if line.is_empty() {
            continue;
        }
        let unguarded = match line.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').ok_or_else(|| format!("guard alone: {line}"))?.1,
            None => line,
        };
        let word = unguarded.split_whitespace().next().unwrap_or_default();
        let opcode = match word.strip_prefix('.') {
            Some(_) => word,
            None => word.split('.').next().unwrap_or_default(),
        };
        if !OPCODES.contains(&opcode) {
            return Err(format!("unknown instruction `{opcode}`"));
        }
        let mut rest = line;
        // `mov` to a pair writes both.
        let pair = opcode == "mov" && unguarded.split(',').next().is_some_and(|d| d.contains('{'));
        let mut destinations = if pair { 2 } else { 1 };
        while let Some(at) = rest.find('$') {
            rest = &rest[at + 1..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let k: usize = rest[..digits].parse().map_err(|_| format!("bare `$` in {line}"))?;
            if k >= outputs + inputs {
                return Err(format!("operand ${k} of {} in {line}", outputs + inputs));
            }
            if destinations > 0 && k < outputs {
                written[k] = true;
            }
            destinations -= usize::from(destinations > 0);
        }
    }
    match written.iter().position(|w| !w) {
        Some(k) => Err(format!("output ${k} is never written")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn wrong_blocks_are_found_before_they_are_written() {
        assert_eq!(check("{ .reg .u32 t; mul.lo.u32 t, $1, $2; mov.u32 $0, t; }", 1, 2), Ok(()));
        let wide = "{ .reg .u64 w; mul.wide.u32 w, $2, $3; mov.b64 {$0, $1}, w; }";
        assert_eq!(check(wide, 2, 2), Ok(()));
        assert_eq!(check("shfl.sync.bfly.b32 $0, $1, $2, 31, $3;", 1, 3), Ok(()));
        for (text, reason) in [
            ("mov.u32 $0, $3;", "operand $3 of 2 in mov.u32 $0, $3"),
            ("mov.u32 t, $1;", "output $0 is never written"),
            ("mov.u32 $0, $1", "last instruction has no semicolon"),
            ("{ mov.u32 $0, $1;", "unbalanced braces"),
            ("frob.u32 $0, $1;", "unknown instruction `frob`"),
            ("mov.u32 $0, $;", "bare `$` in mov.u32 $0, $"),
            ("mov.u32 $0, \u{e9};", "character 'é'"),
        ] {
            assert_eq!(check(text, 1, 1), Err(reason.into()), "{text}");
        }
    }
}
