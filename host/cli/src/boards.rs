//! `fw-vs boards`: known boards, and which can be used right now.

use anyhow::Result;
use comfy_table::{Table, presets};
use fwvs_link::Board;

use crate::say::say;

pub(crate) fn boards() -> Result<u8> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["board", "what it is", "usable now"]);
    for board in Board::all(None)? {
        let usable = match board.availability() {
            Ok(()) => "yes".to_owned(),
            Err(error) => format!("no: {error}"),
        };
        table.add_row([board.name, board.description, usable]);
    }
    say!("{}", table.trim_fmt())?;
    Ok(0)
}
