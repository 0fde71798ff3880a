//! Who is there: tasks and objects by name, as the set-up announced them.

use std::collections::HashSet;

use fwvs_kernel::{Boxed, Kernel, ObjectId, Operation, Rules, Schedule, TaskId, Use, Verb};
use fwvs_symbols::Firmware;
use fwvs_wire::{Creation, Particulars, Record, What, mix};
use zerocopy::FromBytes;

use crate::error::{Error, Impossible};

/// The state after the set-up, with a name for everything in it.
#[derive(Clone, Debug)]
pub struct Roster {
    tasks: Vec<String>,
    objects: Vec<String>,
    kernel: Kernel<Boxed>,
    first_calls: Vec<u32>,
    uses: Vec<Use>,
    digest: u32,
}

impl Roster {
    /// Reads the set-up's entries, 16 bytes each. Unless the set-up was `cut` short, every task must have arrived.
    pub fn read(firmware: &Firmware, rules: &Rules, entries: &[u8], cut: bool) -> Result<Self, Error> {
        let description = firmware.description();
        let mut kernel = Kernel::new(Boxed::new(description.tasks as usize, description.objects as usize));
        kernel.set_rules(*rules);
        let (mut tasks, mut objects) = (Vec::new(), Vec::new());
        let mut entries = entries.chunks_exact(Creation::BYTES).enumerate();
        let mut digest = 0;
        let (mut first_calls, mut uses) = (Vec::new(), Vec::new());
        while let Some((number, bytes)) = entries.next() {
            digest = digest_of(digest, bytes);
            if bytes[0] == fwvs_kernel::Slot::MARK {
                // A slot begins with a mark: the first arrival of a task.
                let record = Record::read_from_bytes(bytes).expect("16 bytes");
                let wide = if record.wide() { entries.next() } else { None };
                let wide = wide.map(|(_, bytes)| {
                    digest = digest_of(digest, bytes);
                    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
                });
                let operation = record
                    .operation(wide.unwrap_or(0))
                    .map_err(|why| Impossible::Record { at: number, why })?;
                kernel
                    .arrive(record.transition().task, operation)
                    .map_err(|_| Impossible::Object { at: number })?;
                first_calls.push(record.pc);
                kernel.enter(record.transition().task, record.phase());
                continue;
            }
            if bytes[0] == fwvs_wire::Use::WHAT {
                let entry = fwvs_wire::Use::read_from_bytes(bytes).expect("16 bytes");
                let declared = entry.declared().filter(|one| usize::from(one.task) < tasks.len());
                uses.push(declared.ok_or(Impossible::Creation(number))?);
                continue;
            }
            let creation = Creation::read_from_bytes(bytes).expect("16 bytes");
            let what = creation.what().ok_or(Impossible::Creation(number))?;
            if let What::Schedule(schedule) = what {
                kernel.set_rules(Rules { schedule, ..*rules });
                continue;
            }
            let name = name_of(firmware, creation.name, creation.name_length, creation.index.into())
                .ok_or(Impossible::Name(number))?;
            match what {
                What::Task(position) => {
                    kernel.create_task(position).map_err(|_| Impossible::Room)?;
                    tasks.push(name);
                }
                What::Object(Particulars { kind, level, never_full, period }) => {
                    let object = kernel.create_object(kind, level).map_err(|_| Impossible::Room)?;
                    kernel.describe_object(object, never_full, period);
                    objects.push(name);
                }
                What::Schedule(_) => {}
            }
        }
        let arrived =
            first_calls.len() == tasks.len() && kernel.tasks().iter().all(|task| task.pending.is_some());
        if !arrived && !cut {
            return Err(Impossible::Arrivals.into());
        }
        first_calls.resize(tasks.len(), 0);
        Ok(Self { tasks: distinct(tasks), objects: distinct(objects), kernel, first_calls, uses, digest })
    }

    /// Task names, in the order of creation, each different.
    pub fn tasks(&self) -> &[String] {
        &self.tasks
    }

    /// Object names, in the order of creation, each different.
    pub fn objects(&self) -> &[String] {
        &self.objects
    }

    /// The task's name.
    pub fn task(&self, task: TaskId) -> &str {
        self.tasks.get(usize::from(task.0.index)).map_or("an unknown task", String::as_str)
    }

    /// The object's name.
    pub fn object(&self, object: ObjectId) -> &str {
        self.objects.get(usize::from(object.0.index)).map_or("an unknown object", String::as_str)
    }

    /// The task of that name.
    pub fn task_named(&self, name: &str) -> Option<TaskId> {
        self.tasks.iter().position(|task| task == name).map(|place| TaskId::setup(place as u8))
    }

    /// The kernel after the set-up, every task at its first operation.
    pub fn kernel(&self) -> &Kernel<Boxed> {
        &self.kernel
    }

    /// How tasks share the processor.
    pub fn schedule(&self) -> Schedule {
        self.kernel.rules().schedule
    }

    /// Where each task called its first operation from.
    pub fn first_calls(&self) -> &[u32] {
        &self.first_calls
    }

    /// Everything that tasks declare to do.
    pub(crate) fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Digest of the entries.
    pub(crate) fn digest(&self) -> u32 {
        self.digest
    }

    /// Tasks and objects in words, for comparing two set-ups.
    pub(crate) fn words(&self, firmware: &Firmware) -> Vec<String> {
        let created = self.tasks.iter().chain(&self.objects).cloned();
        let arrived = self.kernel.tasks().iter().map(|task| {
            let operation = task.pending.map_or(String::new(), |op| self.describe(firmware, op));
            format!("{} at {operation}", self.task(task.id))
        });
        created.chain(arrived).collect()
    }

    /// The operation in words, with its object.
    pub(crate) fn describe(&self, firmware: &Firmware, operation: Operation) -> String {
        let (word, argument) = (operation.word(), operation.argument);
        match operation.verb {
            Verb::Event => {
                let name = operation.name().and_then(|name| firmware.event_name(name));
                format!("{word} \"{}\" {argument}", name.unwrap_or("?"))
            }
            Verb::Toss => format!("{word} 0..={argument}"),
            Verb::Delay => format!("{word} for {argument} ticks"),
            Verb::DelayUntil => format!("{word} until tick {argument}"),
            Verb::Pass => format!("{word} the next deadline"),
            _ => match operation.object() {
                Some(object) => format!("{word} {}", self.object(object)),
                None => word.to_owned(),
            },
        }
    }
}

fn digest_of(digest: u32, bytes: &[u8]) -> u32 {
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    words.fold(digest, mix)
}

/// A name as the target says it: where its text is, how long that is, and the number behind it.
pub(crate) fn name_of(firmware: &Firmware, address: u32, length: u16, index: u16) -> Option<String> {
    let text = firmware.text(address, u32::from(length & !Creation::NUMBERED))?;
    let numbered = length & Creation::NUMBERED != 0;
    Some(if numbered { format!("{text} {index}") } else { text.to_owned() })
}

/// The same names, with a number behind those that come more than once. Nobody is given a name that another has of its own.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut used: HashSet<String> = names.iter().cloned().collect();
    let mut seen: HashSet<String> = HashSet::new();
    let number = |name: String| {
        if seen.insert(name.clone()) {
            return name;
        }
        let numbered = (2..).map(|number| format!("{name} #{number}"));
        let unused = { numbered }.find(|name| !used.contains(name)).expect("there is no last number");
        used.insert(unused.clone());
        unused
    };
    names.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_called_the_same() {
        let named = |names: &[&str]| distinct(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(named(&["a", "b", "a", "a"]), ["a", "b", "a #2", "a #3"]);
        assert_eq!(named(&["a", "a", "a #2"]), ["a", "a #3", "a #2"]);
        assert_eq!(named(&["a #2", "a", "a", "a #2"]), ["a #2", "a", "a #3", "a #2 #2"]);
    }
}
