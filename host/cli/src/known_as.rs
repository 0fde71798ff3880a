//! Searches that other tools have under other names.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use fwvs_run::Search;

use crate::choice::{Choice, SEARCHES};

/// What people ask for, what comes closest, and why it is not the same.
const ELSEWHERE: [(&str, &str, &str); 4] = [
    ("bfs", "shortest", BREADTH),
    ("breadth-first", "shortest", BREADTH),
    ("iddfs", "shortest", "it is iterative deepening"),
    ("fuzz", "random", "it runs one path after the other, each by chance"),
];

const BREADTH: &str = "breadth-first would keep every state to go on from it, and a board cannot be put back into a state; \
                       iterative deepening finds a shortest scenario as well";

/// The values of `--search`, with a better answer to some that are none than the one that looks most alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchParser;

impl TypedValueParser for SearchParser {
    type Value = Search;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Search, Error> {
        let asked = value.to_str().unwrap_or_default().to_lowercase();
        if let Some((_, search, why)) = ELSEWHERE.iter().find(|(name, ..)| *name == asked) {
            let text = format!("there is no --search {asked}\nhint: --search {search}: {why}");
            return Err(Error::raw(ErrorKind::InvalidValue, text + "\n").with_cmd(command));
        }
        Choice(SEARCHES).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Choice(SEARCHES).possible_values()
    }
}

#[cfg(test)]
mod tests {
    use crate::given;

    #[test]
    fn who_wants_breadth_first_is_told_of_the_shortest() {
        let said = |search: &str| {
            given::read(["fw-vs", "explore", "--search", search]).expect_err("there is none").to_string()
        };
        assert!(
            said("bfs").contains("hint: --search shortest: ") && !said("bfs").contains("dfs"),
            "{}",
            said("bfs")
        );
        assert!(said("rnadom").contains("'random'"), "{}", said("rnadom"));
    }
}
