//! `fw-vs doctor`: what is installed, what is missing, how to get it.

use std::process::{Command, Stdio};

use anyhow::Result;
use fwvs_report::words::wrap;

use crate::COULD_NOT_RUN;
use crate::say::say;

/// A tool, what it is needed for, and how to get it.
struct Tool {
    program: &'static str,
    arguments: &'static [&'static str],
    /// What its output must contain.
    contains: &'static str,
    purpose: &'static str,
    needed: bool,
    get: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        program: "qemu-system-arm",
        arguments: &["--version"],
        contains: "QEMU",
        purpose: "runs firmware on the qemu-* boards",
        needed: true,
        get: "apt-get install qemu-system-arm",
    },
    Tool {
        program: "rustc",
        arguments: &["--version"],
        contains: "rustc",
        purpose: "builds firmware",
        needed: false,
        get: "install Rust with rustup",
    },
    Tool {
        program: "rustup",
        arguments: &["target", "list", "--installed"],
        contains: "thumbv7m-none-eabi",
        purpose: "builds firmware for Cortex-M3",
        needed: false,
        get: "rustup target add thumbv7m-none-eabi",
    },
    Tool {
        program: "gdb-multiarch",
        arguments: &["--version"],
        contains: "GNU gdb",
        purpose: "opens a scenario at any step",
        needed: false,
        get: "apt-get install gdb-multiarch",
    },
];

pub(crate) fn doctor() -> Result<u8> {
    let mut missing = false;
    for tool in TOOLS {
        match version(tool) {
            Some(version) => line(&format!("found    {:16} {version}", tool.program))?,
            None => {
                missing |= tool.needed;
                let weight = if tool.needed { "missing " } else { "optional" };
                line(&format!("{weight} {:16} {}", tool.program, tool.purpose))?;
                line(&format!("         hint: {}", tool.get))?;
            }
        }
    }
    Ok(if missing { COULD_NOT_RUN } else { 0 })
}

/// A line, or more where the terminal has not enough room for it.
fn line(text: &str) -> Result<()> {
    let width = comfy_table::Table::new().width().map_or(usize::MAX, |width| width.max(40).into());
    say!("{}", wrap(text, width, 11))
}

/// The line of its output that matters, if the tool is there.
fn version(tool: &Tool) -> Option<String> {
    let output = Command::new(tool.program).args(tool.arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains(tool.contains))?;
    output.status.success().then(|| line.trim().to_owned())
}
