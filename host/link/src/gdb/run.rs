//! Running over the GDB remote protocol: resume, wait, halt by force, find out why it stopped.

use std::time::{Duration, Instant};

use fwvs_board::Doorbell;

use super::Gdb;
use crate::clock::LOOK;
use crate::conversation::Body;
use crate::reply::{self, Answer, Report};
use crate::{Error, Request, Stop, Traps, packet};

impl Gdb {
    /// Runs on from wherever the core stands, a breakpoint included.
    pub(super) fn run_on(&mut self, budget: Duration) -> Result<Stop, Error> {
        // The server would halt the core in front of that instruction again.
        if !self.breakpoints.is_empty() && self.at_breakpoint()?.is_some() {
            if let Some(stop) = self.step_once()? {
                return Ok(stop);
            }
            if let Some(pc) = self.at_breakpoint()? {
                return Ok(Stop::Breakpoint { pc });
            }
        }
        self.run(budget)
    }

    /// Where the core goes on.
    fn stands_at(&mut self) -> Result<u32, Error> {
        match self.go_on_at {
            Some(address) => Ok(address),
            None => Ok(self.read_registers(false)?.pc() & !1),
        }
    }

    /// Where the core goes on, if there is a breakpoint of a debugger.
    fn at_breakpoint(&mut self) -> Result<Option<u32>, Error> {
        let pc = self.stands_at()?;
        Ok(Some(pc).filter(|pc| self.breakpoints.contains(pc)))
    }

    fn run(&mut self, budget: Duration) -> Result<Stop, Error> {
        let started = Instant::now();
        let address = self.go_on_at.take();
        let thumb = u32::from(self.is_qemu);
        self.talk.queue(|output| {
            output.push(b'c');
            if let Some(address) = address {
                // QEMU takes the lowest bit for the instruction set, as a branch would do.
                packet::push_number(output, address | thumb);
            }
        });
        self.talk.look_up_every(budget.min(LOOK))?;
        self.talk.send()?;
        let queued = match self.collect() {
            Err(error) if !error.is_answer() || self.talk.is_abandoned => return Err(error),
            queued => queued,
        };
        let accepted = Instant::now();
        self.spent.transfer += accepted - started;
        let mut budget = budget;
        if queued.is_err() {
            // The resume is on its way behind a refused write: no time for that run.
            budget = Duration::ZERO;
            self.talk.look_up_every(budget)?;
        }
        let stop = self.wait(budget);
        self.spent.run += accepted.elapsed();
        queued.and(stop)
    }

    /// Waits for the stop, and makes it happen when the budget is over or the brake is on.
    fn wait(&mut self, budget: Duration) -> Result<Stop, Error> {
        let end = self.talk.clock.look() + budget;
        let (mut left, mut halted_since) = (budget, None);
        let (mut is_interrupted, mut is_braked) = (false, false);
        loop {
            let request = if is_interrupted { Request::Halt } else { Request::Resume };
            let body = self.talk.receive(request, left.min(LOOK))?;
            let is_output = |body: &Body| reply::answer(self.talk.body(body)) == Answer::Output;
            let Some(body) = body.filter(|body| !is_output(body)) else {
                // Output alone does not prolong the wait.
                if is_interrupted {
                    self.talk.wait_on(&mut halted_since, request)?;
                    continue;
                }
                left = end.saturating_sub(self.talk.clock.look());
                is_braked = self.talk.supervisor.wants_an_end();
                if !is_braked && left > Duration::ZERO {
                    self.talk.tell_of_a_stall();
                    continue;
                }
                self.talk.interrupt()?;
                (is_interrupted, left) = (true, LOOK);
                continue;
            };
            let text = self.talk.body(&body);
            return match reply::report(text) {
                Some(Report::Stopped { signal, watch }) => {
                    match self.stopped(signal, watch, is_interrupted)? {
                        Stop::Budget { .. } if is_braked => Err(Error::Interrupted),
                        stop => Ok(stop),
                    }
                }
                Some(Report::Gone) => {
                    Err(Error::Died { peer: self.talk.peer.clone(), how: None, said: String::new() })
                }
                None => Err(self.unexpected(request, &body)),
            };
        }
    }

    /// Finds out what a stop means.
    fn stopped(&mut self, signal: u8, watch: Option<u32>, is_interrupted: bool) -> Result<Stop, Error> {
        // The core may have stopped just before the byte that was to stop it arrived. Servers that
        // report a second stop then do so ahead of the next reply.
        let is_crossed = is_interrupted && signal != reply::INTERRUPT;
        let rang = self.traps.filter(|traps| watch.is_some_and(|word| word & !3 == traps.doorbell & !3));
        if let Some(traps) = rang
            && self.is_qemu
            && !is_crossed
        {
            // QEMU stops in front of the store.
            self.go_on_at = Some(traps.store.wrapping_add(2));
            return Ok(Stop::Doorbell);
        }
        let pc = self.read_registers(is_crossed)?.pc() & !1;
        let is_at = |address: u32| pc == address & !1;
        let by_breakpoint = self.options.doorbell == Doorbell::Breakpoint;
        if let Some(traps) = self.traps
            && self.is_qemu
            && is_interrupted
            && rang.is_none()
            && !by_breakpoint
            && is_at(traps.store)
        {
            return self.ring_now(traps);
        }
        Ok(match self.traps {
            // Other servers stop in front of the store or behind it, as the core does.
            Some(traps) if rang.is_some() || (by_breakpoint && is_at(traps.store)) => {
                if is_at(traps.store) {
                    self.go_on_at = Some(traps.store.wrapping_add(2));
                }
                Stop::Doorbell
            }
            Some(Traps { fault: Some(fault), .. }) if is_at(fault) => Stop::Fault { pc },
            _ if self.breakpoints.contains(&pc) && (is_crossed || !is_interrupted) => Stop::Breakpoint { pc },
            _ if is_interrupted => Stop::Budget { pc },
            _ => Stop::Other { cause: format!("signal {signal}"), pc },
        })
    }

    /// Brings QEMU to order that was halted by force in front of the store.
    ///
    /// The watchpoint may have been hit at the same moment. QEMU then keeps the hit to itself, also
    /// across a reset; at the *next* ring it lets the core run on behind the store and reports the
    /// old hit there. A step from here hits the watchpoint if it was not hit; otherwise it executes
    /// the store, reports the hidden hit, and leaves a request to halt behind, which a second step
    /// uses up without executing anything. Either way the doorbell has rung now.
    fn ring_now(&mut self, traps: Traps) -> Result<Stop, Error> {
        let store = traps.store & !1;
        let mut pc = self.step_somewhere()?;
        if pc == store {
            self.go_on_at = Some(store.wrapping_add(2));
            return Ok(Stop::Doorbell);
        }
        if pc == store.wrapping_add(2) {
            pc = self.step_somewhere()?;
        }
        Ok(if pc == store.wrapping_add(2) { Stop::Doorbell } else { Stop::Budget { pc } })
    }

    /// Executes one instruction, or none if something halts the core before. Tells where it stands.
    fn step_somewhere(&mut self) -> Result<u32, Error> {
        self.step_to_report()?;
        Ok(self.read_registers(false)?.pc() & !1)
    }

    /// Executes one instruction of a core that nobody is about to halt.
    pub(super) fn step_once(&mut self) -> Result<Option<Stop>, Error> {
        self.settle()?;
        // A step does not care for breakpoints: whether it is the doorbell's store has to be seen beforehand.
        if let Some(traps) = self.traps
            && self.options.doorbell == Doorbell::Breakpoint
            && self.stands_at()? == traps.store & !1
        {
            self.step_to_report()?;
            return Ok(Some(Stop::Doorbell));
        }
        let watch = self.step_to_report()?;
        match self.traps.filter(|traps| watch.is_some_and(|word| word & !3 == traps.doorbell & !3)) {
            Some(traps) => {
                let stands_before = self.is_qemu || self.read_registers(false)?.pc() & !1 == traps.store & !1;
                self.go_on_at = stands_before.then_some(traps.store.wrapping_add(2));
                Ok(Some(Stop::Doorbell))
            }
            None => Ok(None),
        }
    }

    /// Executes one instruction from where the next resume would go on, and tells of the watchpoint that was hit.
    fn step_to_report(&mut self) -> Result<Option<u32>, Error> {
        let address = self.go_on_at.take();
        let thumb = u32::from(self.is_qemu);
        self.talk.queue(|output| {
            output.push(b's');
            if let Some(address) = address {
                packet::push_number(output, address | thumb);
            }
        });
        self.talk.send()?;
        let body = self.reply_behind_output(Request::Step)?;
        match reply::report(self.talk.body(&body)) {
            Some(Report::Stopped { watch, .. }) => Ok(watch),
            Some(Report::Gone) | None => Err(self.unexpected(Request::Step, &body)),
        }
    }
}
