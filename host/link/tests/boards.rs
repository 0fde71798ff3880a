//! The boards that come with fw-vs can be used, as far as that is known without any hardware.

use fwvs_board::{Board, Error as BoardError, LinkKind};
use fwvs_link::{Error, availability};

#[test]
fn every_qemu_board_can_be_used_and_the_gdb_server_needs_an_address() {
    for board in Board::all().unwrap() {
        match board.link {
            LinkKind::Qemu { .. } => availability(&board).unwrap(),
            LinkKind::Gdb { .. } => {
                let outcome = availability(&board);
                assert!(matches!(outcome, Err(Error::Board(BoardError::NoAddress { .. }))), "{outcome:?}");
            }
        }
    }
}
