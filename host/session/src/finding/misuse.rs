//! What the shim refuses, and what it has no room for.

use fwvs_kernel::TaskId;
use fwvs_wire::{Incident, misuse, room};

use super::whose::at;
use crate::roster::name_of;
use crate::scene::Scene;

impl Scene<'_> {
    /// There is no room for what was created.
    pub(super) fn no_room(&self, what: u32, room: u32) -> String {
        let (what, counts) = match what {
            room::TASKS => ("tasks", "; interrupt handlers, timers and the timer daemon are tasks too"),
            room::OBJECTS => ("objects", "; shared variables, timers and interrupt lines are objects too"),
            room::MESSAGES => ("bytes for messages", "; all messages of all queues share them"),
            room::CREATIONS => {
                ("tasks and objects together", "; what they declare to do and first operations count too")
            }
            _ => ("things", ""),
        };
        let who = self.who_ran();
        format!("{who} created more {what} than the shim has room for, which is {room}{counts}")
    }

    /// The shim was told to do something that makes no sense.
    pub(super) fn misused(&self, incident: &Incident) -> String {
        let who = match incident.code {
            misuse::NOT_STARTED => "the firmware".to_owned(),
            _ => self.who_ran(),
        };
        let at = at(self.place(incident.pc));
        let (what, hint) = self.misuse(incident);
        format!("{who} {what}{at}{hint}")
    }

    /// What somebody did, and what to say after the place where.
    fn misuse(&self, incident: &Incident) -> (String, &'static str) {
        let Incident { code, numbers: [first, second], name, name_length, index, .. } = *incident;
        let name = name_of(self.firmware(), name, name_length, index).unwrap_or("something".to_owned());
        let plainly = |what: &str, hint| (what.to_owned(), hint);
        match code {
            misuse::UNKNOWN_OBJECT => plainly("used a handle of no object", ""),
            misuse::WRONG_KIND => plainly("used a handle of another kind of object", ""),
            misuse::LATE_CREATION => {
                plainly("created something while tasks ran", "; create it in the set-up")
            }
            misuse::NO_TASK => plainly(
                "called an operation where no task runs",
                "; call it in a task, a handler or a callback",
            ),
            misuse::NOT_STARTED => plainly(
                "used fwvs before fwvs::start",
                "; create everything in the set-up that start is given",
            ),
            misuse::NULL_HANDLE => plainly("used a null handle", ": it was not given its object yet"),
            misuse::SECOND_DAEMON => plainly(
                "declared the timer daemon when it was there already",
                "; declare it once, before the first timer",
            ),
            misuse::RESTARTED => plainly("reset the firmware", "; a path ends where all tasks have"),
            misuse::BAD_SEMAPHORE => {
                let what = format!("created the semaphore {name} with {first} of {second} units");
                (what, "; it needs a maximum, and no more than that to begin with")
            }
            misuse::BAD_QUEUE => {
                let what = format!("created the queue {name} for {first} of at most {second} messages");
                (what, "; it needs room for one, and no more than its type has")
            }
            misuse::BAD_COMMANDS => {
                let what = format!("declared a timer daemon with room for {first} commands");
                (
                    what,
                    if first == 0 { "; it needs room for one" } else { ", which is more than there can be" },
                )
            }
            misuse::SMALL_STACK => {
                let what = format!("started {name} on a stack of {first} bytes");
                (format!("{what}, where {second} are the least"), "; what it calls needs more")
            }
            misuse::SHARED_STACK => {
                let owner = self.roster().task(TaskId::setup(first as u8));
                (
                    format!("started {name}, which was given the stack of {owner}"),
                    "; every task needs its own",
                )
            }
            _ => plainly("misused the shim", ""),
        }
    }
}
