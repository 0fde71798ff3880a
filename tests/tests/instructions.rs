//! What the target needs for a path and a transition, in instructions. They are counted, so the bounds hold on every
//! machine; they have some room, but not enough for a cost to double unseen. `cargo xtask bench instructions` prints what it is.

use fwvs_tests::instructions::{Instructions, SUBJECTS, count, sleeper};

#[test]
fn a_transition_costs_no_more_than_it_did() {
    let bounds = [
        Instructions { path: 9_000, scripted: 650.0, extended: 850.0 },
        Instructions { path: 9_000, scripted: 720.0, extended: 880.0 },
        Instructions { path: 15_000, scripted: 650.0, extended: 1050.0 },
    ];
    for (subject, bound) in SUBJECTS.iter().zip(bounds) {
        let cost = count(subject).expect("QEMU counts");
        let within =
            cost.path <= bound.path && cost.scripted <= bound.scripted && cost.extended <= bound.extended;
        assert!(within, "{}: {cost:?} is more than {bound:?}", subject.name);
        assert!(
            cost.path > 100 && cost.scripted > 100.0 && cost.extended > 100.0,
            "{cost:?} is not believable"
        );
    }
}

#[test]
fn a_sleeper_costs_no_more_than_it_did() {
    let cost = sleeper().expect("QEMU counts");
    assert!((50.0..=700.0).contains(&cost), "{cost}");
}
