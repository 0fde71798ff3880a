//! How many paths a second the link allows: reset, write a script, resume to the doorbell, read
//! a trace. Pinned to one core and not.
//!
//!     cargo run --release -p fwvs-link --example paths

use std::io::Write;
use std::time::{Duration, Instant};

use fwvs_link::{Link, Machine, Pin, Qemu, Stop};

#[expect(dead_code, reason = "the tests use all of it")]
#[path = "../tests/suite/firmware.rs"]
mod firmware;

const SCRIPT: usize = 200;
const TRACE: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let firmware = firmware::Firmware::new(0, 0x2000_0000);
    let mut file = tempfile::NamedTempFile::with_suffix(".elf")?;
    file.write_all(&firmware.elf)?;
    // The unpinned run comes first: a pin stays on the thread.
    for pin in [Pin::Free, Pin::Core(std::thread::available_parallelism()?.get() - 1)] {
        let mut link = Qemu::start(&Machine::new("lm3s6965evb"), file.path(), pin)?;
        link.arm(firmware.traps)?;
        link.write(firmware.command, &firmware::RING.to_le_bytes())?;
        let mut trace = [0; TRACE];
        for seconds in [1, 3] {
            let before = link.spent();
            let started = Instant::now();
            let mut rounds = 0;
            while started.elapsed() < Duration::from_secs(seconds) {
                link.reset()?;
                link.write(firmware.scratch, &[0x5A; SCRIPT])?;
                assert_eq!(link.resume(Duration::from_secs(1))?, Stop::Doorbell);
                link.read(firmware.counter, &mut trace)?;
                rounds += 1;
            }
            let rate = f64::from(rounds) / started.elapsed().as_secs_f64();
            let spent = link.spent();
            let each =
                |after: Duration, before: Duration| (after - before).as_secs_f64() * 1e6 / f64::from(rounds);
            if seconds > 1 {
                println!(
                    "{pin:?}: {rate:.0} rounds/s; a round: transfer {:.0} us, run {:.0} us",
                    each(spent.transfer, before.transfer),
                    each(spent.run, before.run)
                );
            }
        }
    }
    Ok(())
}
