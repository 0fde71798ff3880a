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
            Err(error) => unusable(&error.to_string()),
        };
        table.add_row([board.name, board.description, usable].map(|cell| plain(&cell).into_owned()));
    }
    say!("{}", table.trim_fmt())?;
    Ok(0)
}

/// Why a board cannot be used, on one line: an error has its hint on a line of its own.
fn unusable(error: &str) -> String {
    format!("no: {}", error.replace('\n', "; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_board_cannot_be_used_is_one_line_without_escapes() {
        let boards = Board::all().expect("the boards that come with fw-vs");
        let cells: Vec<String> = boards
            .iter()
            .filter_map(|board| Some(unusable(&fwvs_link::availability(board).err()?.to_string())))
            .collect();
        assert!(!cells.is_empty(), "a gdb server has no address");
        for cell in cells {
            assert!(!plain(&cell).contains('\\'), "{cell}");
        }
    }
}
