//! Heart-beats on their way: the messages between the processors, and the table of those that are out.

use crate::constants::{Constants, MOST_ENTRIES};

/// A heart-beat. Index and time of sending together identify it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    pub index: u8,
    pub sent: i32,
}

/// What processor A hears: beats that come back, and that a period is over.
#[derive(Clone, Copy)]
pub enum Heard {
    Beat { beat: Beat, received: i32 },
    Tick,
}

/// What became of a beat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    OnTime,
    Late,
    Lost,
}

#[derive(Clone, Copy)]
enum Entry {
    Free,
    Out { sent: i32 },
    Back { sent: i32, received: i32 },
}

/// The beats that were sent and not judged yet; small and of a fixed size, so an index is soon used again.
pub struct Table {
    entries: [Entry; MOST_ENTRIES],
    size: usize,
    next: usize,
}

impl Table {
    pub fn new(constants: &Constants) -> Self {
        Self { entries: [Entry::Free; MOST_ENTRIES], size: constants.entries, next: 0 }
    }

    /// How many entries there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The index of the next beat to be sent. Whatever still has it is the oldest beat there is.
    pub fn next(&self) -> usize {
        self.next
    }

    /// A beat came back. One whose entry has been used again since is stale, and dropped.
    pub fn mark(&mut self, beat: Beat, received: i32) {
        let entry = &mut self.entries[usize::from(beat.index)];
        if matches!(*entry, Entry::Out { sent } if sent == beat.sent) {
            *entry = Entry::Back { sent: beat.sent, received };
        }
    }

    /// The propagation delay of a beat that came back; its entry is free then.
    pub fn take_back(&mut self, index: usize) -> Option<i32> {
        let Entry::Back { sent, received } = self.entries[index] else { return None };
        self.entries[index] = Entry::Free;
        Some(received - sent)
    }

    /// Gives up a beat whose index is needed again; true if there was one.
    pub fn take_lost(&mut self) -> bool {
        let lost = matches!(self.entries[self.next], Entry::Out { .. });
        if lost {
            self.entries[self.next] = Entry::Free;
        }
        lost
    }

    /// Enters the next beat.
    pub fn send(&mut self, now: i32) -> Beat {
        let beat = Beat { index: self.next as u8, sent: now };
        self.entries[self.next] = Entry::Out { sent: now };
        self.next = (self.next + 1) % self.size;
        beat
    }
}
