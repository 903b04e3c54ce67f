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
