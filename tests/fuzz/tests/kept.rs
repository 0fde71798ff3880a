//! What once did harm does none any more, and neither does a little of what `cargo xtask fuzz` tries for hours.

use std::time::{Duration, Instant};

use fwvs_fuzz::campaign::{Campaign, Outcome, execute};
use fwvs_fuzz::kept;
use fwvs_fuzz::parser::PARSERS;

/// One input takes milliseconds; this is for a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn kept_inputs_do_no_harm() {
    for parser in PARSERS {
        for (path, input) in kept::all(parser) {
            let begin = Instant::now();
            let outcome = execute(parser, &input);
            assert!(matches!(outcome, Outcome::Told(_)), "{}: {outcome:?}", path.display());
            assert!(begin.elapsed() < PATIENCE, "{}: {:?}", path.display(), begin.elapsed());
        }
    }
}

#[test]
fn damaged_inputs_do_no_harm() {
    let rounds = if fwvs_tests::full() { 20_000 } else { 300 };
    for parser in PARSERS {
        let mut campaign = Campaign::new(parser, 1);
        for round in 0..rounds {
            let input = campaign.next_input();
            let begin = Instant::now();
            let outcome = execute(parser, &input);
            let shown = String::from_utf8_lossy(&input[..input.len().min(200)]).into_owned();
            assert!(matches!(outcome, Outcome::Told(_)), "{} {round}: {outcome:?}\n{shown}", parser.name);
            assert!(begin.elapsed() < PATIENCE, "{} {round}: {:?}\n{shown}", parser.name, begin.elapsed());
            campaign.learn(input, &outcome);
        }
        // Damage that always leads to the same error tries nothing.
        assert!(campaign.outcomes() >= 3, "{}: {} outcomes", parser.name, campaign.outcomes());
    }
}

#[test]
fn the_same_seed_gives_the_same_inputs() {
    for name in ["board", "scenario", "reply"] {
        let parser = PARSERS.iter().find(|parser| parser.name == name).expect("it is there");
        let run = || {
            let mut campaign = Campaign::new(parser, 7);
            let inputs: Vec<Vec<u8>> = (0..100)
                .map(|_| {
                    let input = campaign.next_input();
                    campaign.learn(input.clone(), &execute(parser, &input));
                    input
                })
                .collect();
            inputs
        };
        assert_eq!(run(), run(), "{name}");
    }
}
