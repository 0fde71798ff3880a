//! A panic becomes a finding with its message and place.
//!
//! This is the one place of the shim that formats text: without it, "index out of bounds" would come without numbers.

use core::fmt::Write;
use core::panic::PanicInfo;

use fwvs_wire::Incident;

struct Text {
    bytes: [u8; Incident::TEXT],
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes().take(Incident::TEXT - self.length) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        Ok(())
    }
}

#[panic_handler]
fn panicked(info: &PanicInfo) -> ! {
    let mut text = Text { bytes: [0; Incident::TEXT], length: 0 };
    let place = info.location().map_or(("?", 0), |place| (place.file(), place.line()));
    // The place comes first: a long message must not take its room. Writing into `Text` cannot fail.
    let _ = write!(text, "{}:{}", place.0, place.1);
    let place = text.length;
    let _ = write!(text, "{}", info.message());
    crate::fault::panic(text.bytes, place, text.length)
}
