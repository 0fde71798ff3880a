//! `fw-vs boards`: known boards, and which can be used right now.

use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use fwvs_board::Board;
use fwvs_foreign::plain;

use crate::say::say;

pub(crate) fn boards() -> Result<u8> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["board", "what it is", "usable now"]);
    // Nobody knows how wide it may be where there is no terminal, and programs read lines.
    if let Some(width) = table.width() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.max(40));
    }
    for board in Board::all()? {
        let usable = match fwvs_link::availability(&board) {
            Ok(()) => "yes".to_owned(),
            Err(error) => format!("no: {error}"),
        };
        table.add_row([board.name, board.description, usable].map(|cell| plain(&cell).into_owned()));
    }
    say!("{}", table.trim_fmt())?;
    Ok(0)
}
