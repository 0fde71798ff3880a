//! Example firmware on QEMU, without the command line in between.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fwvs_board::Board;
use fwvs_kernel::Rules;
use fwvs_link::{Link, Machine, Pin, Qemu};
use fwvs_session::{Error, Session, Settings};
use fwvs_symbols::Firmware;

use crate::{Program, built};

/// An example, and the values of its parameters.
#[derive(Clone)]
pub struct Target {
    firmware: Arc<Firmware>,
    parameters: Vec<(u32, Vec<u32>)>,
}

impl Target {
    /// An example with some of its parameters set.
    ///
    /// # Panics
    /// If there is no such example, or no such parameter.
    pub fn example(name: &str, set: &[(&str, &str)]) -> Self {
        let firmware = Firmware::load(&built::example(name)).unwrap_or_else(|error| panic!("{error}"));
        let value = |parameter: &fwvs_symbols::Parameter| match set.iter().find(|set| set.0 == parameter.name)
        {
            Some((_, text)) => parameter.parse(text).unwrap_or_else(|error| panic!("{error}")),
            None => parameter.default_words(),
        };
        for (name, _) in set {
            firmware.parameter(name).unwrap_or_else(|error| panic!("{error}"));
        }
        let parameters = firmware.parameters().iter().map(|parameter| (parameter.address, value(parameter)));
        Self { parameters: parameters.collect(), firmware: Arc::new(firmware) }
    }

    /// A program, interpreted by firmware.
    pub fn program(program: &Program) -> Self {
        let hex: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
        Self::example("program", &[("program", &hex)])
    }

    /// The firmware.
    pub fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    /// A new QEMU with the firmware.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn qemu(&self) -> Qemu {
        let board = Board::load("qemu-lm3s6965").expect("it comes with fw-vs");
        let machine = Machine::of(&board).expect("it is in QEMU");
        start(&machine, self.firmware.path())
    }

    /// Brings the firmware to its initial state.
    pub fn open<L: Link>(&self, link: L, divergence: Duration) -> Result<Session<L>, Error> {
        self.open_with(link, Settings::new(divergence))
    }

    /// The same under these rules, its schedule included.
    pub fn open_under<L: Link>(&self, link: L, rules: Rules) -> Result<Session<L>, Error> {
        self.open_for(link, rules, Duration::from_secs(5))
    }

    /// The same with so much time for each step.
    pub fn open_for<L: Link>(
        &self,
        link: L,
        rules: Rules,
        divergence: Duration,
    ) -> Result<Session<L>, Error> {
        let schedule = Some(rules.schedule);
        self.open_with(link, Settings { schedule, rules, ..Settings::new(divergence) })
    }

    fn open_with<L: Link>(&self, link: L, settings: Settings) -> Result<Session<L>, Error> {
        Session::open(link, Arc::clone(&self.firmware), &self.parameters, settings)
    }
}

fn start(machine: &Machine, firmware: &Path) -> Qemu {
    Qemu::start(machine, firmware, Pin::Free).unwrap_or_else(|error| panic!("{error}"))
}
