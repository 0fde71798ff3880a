//! One input after the other: what was seen, what is new, and what must never be seen.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fwvs_tests::generate::Dice;

use crate::mutation::damage;
use crate::parser::Parser;

/// More inputs than these are not kept to be damaged further.
const MOST_INPUTS: usize = 4000;

/// All executions of one parser from one seed.
pub struct Campaign {
    parser: &'static Parser,
    dice: Dice,
    /// Real inputs, and those that led to something new.
    inputs: Vec<Vec<u8>>,
    real: usize,
    outcomes: BTreeSet<String>,
    executions: u64,
}

/// What came of one input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The parser took it or refused it with an error of that kind.
    Told(String),
    /// It panicked, saying this.
    Panicked(String),
}

/// Runs a parser once.
pub fn execute(parser: &Parser, input: &[u8]) -> Outcome {
    let outcome = catch_unwind(AssertUnwindSafe(|| (parser.parse)(input)));
    match outcome {
        Ok(told) => Outcome::Told(kind_of(&told)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Outcome::Panicked(text.unwrap_or_else(|| "a panic without words".to_owned()))
        }
    }
}

impl Campaign {
    /// From the beginning.
    pub fn new(parser: &'static Parser, seed: u64) -> Self {
        let inputs = (parser.inputs)();
        let real = inputs.len();
        Self { parser, dice: Dice::new(seed), inputs, real, outcomes: BTreeSet::new(), executions: 0 }
    }

    /// The next input: first every real one as it is, then damaged ones.
    pub fn next_input(&mut self) -> Vec<u8> {
        self.executions += 1;
        if let Some(input) = self.inputs[..self.real].get(self.executions as usize - 1) {
            return input.clone();
        }
        let dice = &mut self.dice;
        // Half of them from real inputs, else the search would drift into ever more broken ones.
        let among = if dice.roll(2) == 0 { self.real } else { self.inputs.len() };
        let mut input = self.inputs[dice.roll(among as u64) as usize].clone();
        let other = dice.roll(self.inputs.len() as u64) as usize;
        damage(dice, self.parser.shape, &mut input, &self.inputs[other]);
        input
    }

    /// Learns from an outcome.
    pub fn learn(&mut self, input: Vec<u8>, outcome: &Outcome) {
        let (Outcome::Told(kind) | Outcome::Panicked(kind)) = outcome;
        if self.outcomes.insert(kind.clone()) && self.inputs.len() < MOST_INPUTS {
            self.inputs.push(input);
        }
    }

    /// How many inputs there were.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// How many different things came of them.
    pub fn outcomes(&self) -> usize {
        self.outcomes.len()
    }
}

/// An error without what is different each time: numbers, what is quoted, and lines of the input.
fn kind_of(told: &str) -> String {
    const LONGEST: usize = 300;
    let lines = told.lines().filter(|line| !line.contains('|') && !line.starts_with("hint: "));
    let mut kind = String::new();
    for line in lines {
        let mut quoted = None;
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match quoted {
                Some(quote) if letter == quote => quoted = None,
                Some(_) => {
                    if letter == '\\' {
                        letters.next();
                    }
                    continue;
                }
                None if matches!(letter, '"' | '`') => quoted = Some(letter),
                None if letter.is_ascii_digit() => continue,
                None => {}
            }
            if kind.len() < LONGEST {
                kind.push(letter);
            }
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn an_error_is_of_one_kind_whatever_it_quotes() {
        let one = "parameter N cannot be \"a\\\"b\": that is not a number, 7\nhint: give 1";
        let other = "parameter N cannot be \"\": that is not a number, 12\nhint: give 2";
        assert_eq!(kind_of(one), kind_of(other));
        assert_ne!(kind_of(one), kind_of("parameter N cannot be \"\": half a byte is missing"));
    }
}
