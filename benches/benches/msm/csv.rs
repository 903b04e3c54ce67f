//! Tables for plots, where they are asked for.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What was measured of all groups.
#[derive(Debug)]
pub(crate) struct Csv {
    folder: Option<PathBuf>,
    device: String,
    sizes: String,
    steps: String,
    scalars: String,
}

impl Csv {
    /// To be written to the folder of an argument `--csv=FOLDER`, if there is one.
    pub(crate) fn new(device: &str, arguments: impl Iterator<Item = String>) -> Self {
        let folder =
            arguments.filter_map(|argument| argument.strip_prefix("--csv=").map(PathBuf::from)).next();
        Csv {
            folder,
            device: device.replace(',', ""),
            sizes: "device,group,log_n,alone_ms,multiples_ms,rival_ms\n".into(),
            steps: "device,group,multiples,step,launches,ms,bound_ms\n".into(),
            scalars: "device,group,scalars,alone_ms,multiples_ms\n".into(),
        }
    }

    pub(crate) fn size(&mut self, group: &str, log_n: u32, [alone, multiples]: [f64; 2], rival: Option<f64>) {
        let rival = rival.map(|ms| ms.to_string()).unwrap_or_default();
        line(
            &mut self.sizes,
            format_args!("{},{group},{log_n},{alone:.3},{multiples:.3},{rival}", self.device),
        );
    }

    pub(crate) fn step(
        &mut self,
        group: &str,
        most: u32,
        step: &str,
        launches: usize,
        ms: f64,
        bound: Option<f64>,
    ) {
        let bound = bound.map(|ms| format!("{ms:.4}")).unwrap_or_default();
        let device = &self.device;
        line(&mut self.steps, format_args!("{device},{group},{most},{step},{launches},{ms:.4},{bound}"));
    }

    pub(crate) fn scalars(&mut self, group: &str, kind: &str, [alone, multiples]: [f64; 2]) {
        line(&mut self.scalars, format_args!("{},{group},{kind},{alone:.3},{multiples:.3}", self.device));
    }

    /// Writes the tables that have a row.
    pub(crate) fn write(self) -> Result<()> {
        let Some(folder) = self.folder else { return Ok(()) };
        std::fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
        for (name, table) in
            [("msm-sizes.csv", self.sizes), ("msm-steps.csv", self.steps), ("msm-scalars.csv", self.scalars)]
        {
            if table.lines().count() > 1 {
                let path = folder.join(name);
                std::fs::write(&path, table)
                    .with_context(|| format!("could not write {}", path.display()))?;
            }
        }
        Ok(())
    }
}

fn line(table: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(table, "{text}").expect("a string takes text");
}
