//! Numbers that the host can set without a rebuild.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use fwvs_wire::ParameterDescription;

/// Memory for a parameter's value, outside the image: the host writes it before the firmware starts.
#[doc(hidden)]
#[repr(transparent)]
pub struct Value<const WORDS: usize>(UnsafeCell<MaybeUninit<[u32; WORDS]>>);

// SAFETY: written by the host while the core is halted, and by `set_defaults` before anybody reads it.
unsafe impl<const WORDS: usize> Sync for Value<WORDS> {}

impl<const WORDS: usize> Value<WORDS> {
    /// Not written yet.
    #[expect(clippy::new_without_default, reason = "only for the expansion of a macro, as a constant")]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// The first word, as a number.
    pub fn number(&'static self) -> i32 {
        // SAFETY: host or `set_defaults` wrote it; volatile, for the compiler has not seen that.
        unsafe { self.0.get().cast::<i32>().read_volatile() }
    }

    /// All of it, as bytes.
    pub fn bytes(&'static self) -> &'static [u8] {
        // SAFETY: as above; nobody writes it while the firmware runs.
        unsafe { core::slice::from_raw_parts(self.0.get().cast(), WORDS * 4) }
    }

    const fn address(&'static self) -> *const u8 {
        self.0.get().cast_const().cast()
    }
}

/// One entry of the section that tells the host about a parameter.
#[doc(hidden)]
#[repr(transparent)]
pub struct Descriptor(ParameterDescription<*const u8>);

// SAFETY: constant; the pointers are read as numbers, and by `set_defaults` before anybody else runs.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// Of a parameter with that name and range, whose value is there.
    pub const fn new<const WORDS: usize>(
        name: &'static str,
        value: &'static Value<WORDS>,
        default: i32,
        minimum: i32,
        maximum: i32,
    ) -> Self {
        Self(ParameterDescription {
            name: name.as_ptr(),
            name_length: name.len() as u32,
            value: value.address(),
            words: WORDS as u32,
            default,
            minimum,
            maximum,
        })
    }
}

/// Gives every parameter its default: for a firmware that was started without a host.
pub(crate) fn set_defaults() {
    for Descriptor(parameter) in crate::arch::parameters() {
        for word in 0..parameter.words as usize {
            let value = if word == 0 { parameter.default as u32 } else { 0 };
            // SAFETY: the value's own memory, which nobody reads yet.
            unsafe { parameter.value.cast_mut().cast::<u32>().add(word).write_volatile(value) };
        }
    }
}

/// A number that the host can set (`--set N=5`), as an `i32`; with a default and, if it has one, a range.
///
/// ```no_run
/// let philosophers = fwvs::param!("N", 4, 2..=8);
/// let verbose = fwvs::param!("VERBOSE", 0);
/// ```
///
/// `param!(bytes "NAME", WORDS)` is a list of bytes instead, all zero by default.
#[macro_export]
macro_rules! param {
    (bytes $name:literal, $words:expr) => {
        $crate::param!(@value $name, $words, 0, 0, 0).bytes()
    };
    ($name:literal, $default:expr) => {
        $crate::param!($name, $default, i32::MIN..=i32::MAX)
    };
    ($name:literal, $default:expr, $range:expr) => {{
        const RANGE: ::core::ops::RangeInclusive<i32> = $range;
        $crate::param!(@value $name, 1, $default, *RANGE.start(), *RANGE.end()).number()
    }};
    (@value $name:literal, $words:expr, $default:expr, $minimum:expr, $maximum:expr) => {{
        #[cfg_attr(target_os = "none", unsafe(link_section = ".fwvs_mailbox.parameters"))]
        static VALUE: $crate::expansion::Value<{ $words }> = $crate::expansion::Value::new();
        #[used]
        #[cfg_attr(target_os = "none", unsafe(link_section = "fwvs_parameters"))]
        static DESCRIPTOR: $crate::expansion::Descriptor =
            $crate::expansion::Descriptor::new($name, &VALUE, $default, $minimum, $maximum);
        &VALUE
    }};
}
