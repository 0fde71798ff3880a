//! Which options somebody really wrote, apart from those that have their values by default.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::options::{Command, Options};

/// Options of an exploration, by their names on the command line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Given(BTreeSet<String>);

impl Given {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.0.contains(option)
    }

    fn of(matches: &ArgMatches) -> Self {
        let written = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let explore = Options::command();
        let explore =
            explore.find_subcommand("explore").into_iter().flat_map(|explore| explore.get_arguments());
        let named = explore.map(|argument| (argument.get_id().as_str(), argument.get_long()));
        let known = named.filter(|(id, _)| matches.try_contains_id(id).is_ok());
        Self(known.filter(|(id, _)| written(id)).map(|(id, long)| long.unwrap_or(id).to_owned()).collect())
    }
}

/// Reads a command line, and notes what was written.
pub(crate) fn read<T>(line: impl IntoIterator<Item = T>) -> Result<Options, clap::Error>
where
    T: Into<OsString> + Clone,
{
    let mut matches = Options::command().try_get_matches_from(line)?;
    let given = matches.subcommand_matches("explore").map(Given::of).unwrap_or_default();
    let mut options =
        Options::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Options::command()))?;
    if let Command::Explore(explore) = &mut options.command {
        explore.given = given;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_told_from_what_is_so_by_default() {
        let line = ["fw-vs", "explore", "x.elf", "--until-tick", "9", "--set=N=1", "--reduction", "source"];
        let Command::Explore(explore) = read(line).unwrap().command else { panic!("it explores") };
        for written in ["firmware", "until-tick", "set", "reduction"] {
            assert!(explore.given.has(written), "{written}: {:?}", explore.given);
        }
        for default in ["search", "interrupts", "expiries", "time"] {
            assert!(!explore.given.has(default), "{default}: {:?}", explore.given);
        }
    }
}
