//! A timer that is stopped, a connection that is freed, and a callback that comes all the same.
//!
//! A connection sends again when a timer expires, until it is acknowledged. Then it is closed: stop the timer, free the
//! connection. But to stop a timer only tells the timer daemon to. The daemon may be so far behind that it sees the start
//! when its time is over, with the stop still to come; or it is in the callback, preempted by the very task that closes.
//! Either way the callback uses a connection that is free. With `fixed=1` the timer daemon's priority is above that of the
//! task: commands are carried out at once, and no callback is ever half done when the task runs.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Interrupt, Semaphore, Stack, Task, Timer, check, event, param, shared};

const FREE: u32 = 0;

static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];
// The connection's peer.
shared!(static PEER: u32 = FREE);

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let acknowledged = Semaphore::binary("acknowledged", 0);
    fwvs::daemon(if fixed { 3 } else { 1 }, 5);
    let send_again = Timer::once("send again", 100, || {
        let peer = PEER.read();
        check!(peer != FREE);
        event!("sent again", peer);
    });
    let radio = Interrupt::new("radio", &STACKS[0]).times(1).handler(move || {
        acknowledged.give();
    });

    Task::new("connection", &STACKS[1]).priority(2).start(move || {
        PEER.write(7);
        send_again.start();
        radio.arm();
        acknowledged.take();
        send_again.stop();
        PEER.write(FREE);
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
