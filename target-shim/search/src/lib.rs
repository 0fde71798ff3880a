//! The search on the target: what comes next on a path once the host's script has run out.
//!
//! Policies, sleep sets and persistent sets, over the meaning that `fwvs-kernel` gives to operations. The shim asks on
//! the target, and the host asks the same when it follows what the target recorded, so that both extend a path alike.
//! Like the kernel it allocates nothing and knows no stacks, links, files or text.
//!
//! | file | idea |
//! |---|---|
//! | [`mod@choose`] | what comes next on a path: script, then policy, minus the sleep set |
//! | [`footprint`] | what tasks may do, and the persistent sets that follow from it |
//! | `matters` | the rules: whether one task may make a difference to another |
//! | [`rule`] | those rules by name |
//! | `closure` | the tasks that matter to one task, to those, and so on |
//! | [`task_set`] | some of the tasks |
#![no_std]
#![forbid(unsafe_code)]

pub mod choose;
mod closure;
pub mod footprint;
mod matters;
pub mod rule;
pub mod task_set;

pub use choose::{Extension, Sleepers, Stop, choose, follow, still_asleep};
pub use footprint::Footprints;
pub use rule::Rule;
pub use task_set::TaskSet;
