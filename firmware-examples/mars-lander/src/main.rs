//! A lander that switches its engine off high above the ground, because a flag remembers an old bump.
//!
//! The descent fires retro rockets, deploys the legs, and from then on looks at the bump flag: when it is set, the
//! lander stands, and the engine goes off. The flag is set by the task that listens to the bump sensor. But the
//! rockets can jolt the lander as well, long before, and nobody takes that back.
//!
//! `fixed=1` clears the flag before the legs come out: the fix that everybody thinks of first. It is not enough: the
//! sensor's task may only then come to handle the old jolt. With `fixed=2` every jolt is stamped with the phase it
//! was felt in, and only those of the last phase count.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Queue, Semaphore, Stack, Task, check, event, param, shared, toss};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];

// Whether a bump was felt.
shared!(static BUMP: bool = false);
// In metres.
shared!(static ALTITUDE: u32 = 1500);

/// When a jolt was felt, by the sensor's own clock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Jolt {
    /// While the rockets fired.
    Braking,
    /// With the legs out.
    Landing,
    /// The sensor is switched off.
    Over,
}

fn setup() {
    let fixed = param!("fixed", 0, 0..=2);
    let jolts = Queue::<Jolt, 3>::new("jolts");
    let rockets = Semaphore::binary("rockets", 0);
    let slow = Semaphore::binary("slow", 0);
    let legs = Semaphore::binary("legs", 0);
    let bumped = Semaphore::counting("bumped", 0, u16::MAX);

    Task::new("descent", &STACKS[0]).start(move || {
        event!("retro rockets fire");
        rockets.give();
        slow.take();
        if fixed == 1 {
            event!("bump flag cleared");
            BUMP.write(false);
        }
        event!("legs deployed");
        legs.give();
        // What the flag says when it is first looked at; after that, whenever a bump is felt.
        while !BUMP.read() {
            bumped.take();
        }
        event!("engine off");
        let on_the_ground = ALTITUDE.read() == 0;
        check!(on_the_ground);
    });

    Task::new("bump sensor", &STACKS[1]).start(move || {
        loop {
            let jolt = jolts.receive();
            if jolt == Jolt::Over {
                break;
            }
            event!("bump");
            if fixed < 2 || jolt == Jolt::Landing {
                BUMP.write(true);
                bumped.give();
            }
        }
    });

    Task::new("Mars", &STACKS[2]).start(move || {
        rockets.take();
        let rough = toss(1) == 1;
        if rough {
            jolts.send(Jolt::Braking);
        }
        slow.give();
        legs.take();
        ALTITUDE.write(0);
        jolts.send(Jolt::Landing);
        jolts.send(Jolt::Over);
    });
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
