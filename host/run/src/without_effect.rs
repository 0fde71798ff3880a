//! What was asked for and made no difference, because the firmware has nothing that it could have made one for.

use fwvs_kernel::{Clock, Role};

use crate::facts::Facts;
use crate::target::AnySession;
use crate::world::World;

/// What a firmware must have for a setting to make any difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// Somebody who waits for time: a timer, a delay, a timeout.
    Time,
    /// An interrupt line that does not say itself how often it fires.
    Line,
}

/// The settings that were asked for and need something of the firmware, as the command line calls them.
fn asked(world: &World) -> impl Iterator<Item = (&'static str, Need)> {
    [
        // A clock that lets everything happen is what there is when nobody asks.
        ("time", Need::Time, world.clock != Clock::Free),
        ("interrupts", Need::Line, world.interrupts.is_some()),
        ("expiries", Need::Time, world.expiries.is_some()),
        ("until-tick", Need::Time, world.until_tick.is_some()),
    ]
    .into_iter()
    .filter_map(|(setting, need, asked)| asked.then_some((setting, need)))
}

/// What was asked for and made no difference in that firmware, in words. `timed` if anybody waited for time.
pub(crate) fn notes(world: &World, facts: &Facts, timed: bool) -> Vec<String> {
    let has_timer = facts.actors.iter().any(|actor| matches!(actor.role, Role::Timer { .. }));
    let lacks = |need: Need| match need {
        Need::Time => (!timed && !has_timer).then_some("nobody waited for time"),
        Need::Line if facts.lines.is_empty() => Some("there is no interrupt line"),
        Need::Line => {
            (!facts.has_unlimited_line()).then_some("every interrupt line says itself how often it can fire")
        }
    };
    let note = |(setting, need)| Some(format!("--{setting} made no difference: {}", lacks(need)?));
    asked(world).filter_map(note).collect()
}

/// Whether a setting was asked for that makes a difference only where somebody waits for time.
pub(crate) fn asks_for_time(world: &World) -> bool {
    asked(world).any(|(_, need)| need == Need::Time)
}

/// Whether somebody waited for time on the last path, or would have if need be.
pub(crate) fn waits_for_time(session: &AnySession) -> bool {
    session.mirror().steps().iter().any(|step| step.taken.operation.waits_for_ticks())
}
