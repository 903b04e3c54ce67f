//! `curvesmith completions` and `curvesmith man`: what the command line says of itself.

use crate::failure::Failure;
use crate::output::write_standard;
use clap::Command;

#[derive(clap::Args)]
pub(crate) struct Completions {
    /// Shell that is to complete commands
    shell: clap_complete::Shell,
}

#[derive(clap::Args)]
pub(crate) struct Man {
    /// Command that the page is about, as `zkey export`; without one it is the program
    command: Vec<String>,
}

pub(crate) fn completions(arguments: &Completions, mut program: Command) -> Result<(), Failure> {
    let name = program.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, name, &mut text);
    write_standard(&String::from_utf8_lossy(&text))
}

pub(crate) fn man(arguments: &Man, mut program: Command) -> Result<(), Failure> {
    program.build();
    let mut command = &program;
    for name in &arguments.command {
        let found = command.find_subcommand(name);
        command = found.ok_or_else(|| Failure::Input(format!("there is no command {name:?}")))?;
    }
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    rendered.map_err(|error| Failure::Internal(error.to_string()))?;
    write_standard(&String::from_utf8_lossy(&text))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};
    use std::collections::BTreeSet;

    /// Options of cargo and of clap itself that the page names.
    const OF_OTHERS: [&str; 4] = ["--bench", "--features", "--help", "--no-default-features"];

    /// Adds what the program and its commands are called with: names, and options with their dashes.
    fn collect(command: &Command, names: &mut BTreeSet<String>, options: &mut BTreeSet<String>) {
        let longs = command.get_arguments().filter_map(|argument| argument.get_long());
        options.extend(longs.map(|long| format!("--{long}")));
        for command in command.get_subcommands() {
            names.insert(command.get_name().to_owned());
            collect(command, names, options);
        }
    }

    #[test]
    fn the_books_page_has_every_command_and_option_and_no_other_option() {
        let page = include_str!("../../../../docs/src/reference/command-line.md");
        let named: BTreeSet<&str> =
            page.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-').collect();
        let (mut names, mut options) = (BTreeSet::new(), BTreeSet::new());
        collect(&crate::Arguments::command(), &mut names, &mut options);
        for name in names.iter().chain(&options) {
            assert!(named.contains(name.as_str()), "the page lacks {name}");
        }
        // Those of `worker` are in the program with its feature only.
        if cfg!(feature = "worker") {
            for word in named.iter().filter(|word| word.starts_with("--") && word.len() > 4) {
                assert!(options.contains(*word) || OF_OTHERS.contains(word), "there is no option {word}");
            }
        }
    }
}
