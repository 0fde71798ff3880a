//! Toss, check, event: what a task says to the search rather than to other tasks.

use fwvs_kernel::Operation;

use crate::gate::operate;

/// One of `0..=bound`; the search tries each.
///
/// ```no_run
/// let lost = fwvs::toss(1) == 1;
/// ```
#[inline(always)]
pub fn toss(bound: u16) -> u16 {
    operate(Operation::toss(bound), core::ptr::null_mut()).level
}

/// One entry of the table of names: a length byte, then the text.
#[doc(hidden)]
#[repr(C)]
pub struct NameEntry<const LENGTH: usize> {
    length: u8,
    text: [u8; LENGTH],
}

impl<const LENGTH: usize> NameEntry<LENGTH> {
    /// How much of a text fits.
    pub const fn length(text: &str) -> usize {
        if text.len() < 255 { text.len() } else { 255 }
    }

    /// The text, cut to what fits.
    pub const fn new(text: &str) -> Self {
        let mut bytes = [0; LENGTH];
        let mut at = 0;
        while at < LENGTH {
            bytes[at] = text.as_bytes()[at];
            at += 1;
        }
        Self { length: LENGTH as u8, text: bytes }
    }

    pub(crate) fn place(&'static self) -> u16 {
        debug_assert!(usize::from(self.length) == self.text.len());
        (core::ptr::from_ref(self) as usize).wrapping_sub(crate::arch::names()) as u16
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn check<const LENGTH: usize>(holds: bool, text: &'static NameEntry<LENGTH>) {
    operate(Operation::assert(text.place(), holds), core::ptr::null_mut());
}

#[doc(hidden)]
#[inline(always)]
pub fn event<const LENGTH: usize>(name: &'static NameEntry<LENGTH>, value: u32) {
    operate(Operation::event(name.place(), value), core::ptr::null_mut());
}

/// Ends the path with a finding unless the condition holds. Visible, so every order around it is tried.
///
/// ```no_run
/// # let level = 3;
/// fwvs::check!(level <= 4);
/// ```
///
/// If the condition is a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`), the finding has what both sides were, where they are
/// integers of up to 64 bits, `bool`, `char`, `f32`, `f64`, an `Option` of these, or a reference to one of them. Of an enum,
/// compare a number: `state as u8`. Each side is evaluated once, in order.
///
/// ```no_run
/// # fn received() -> Option<u32> { None }
/// fwvs::check!(received() == Some(7)); // ... does not hold (left None, right Some(7))
/// ```
///
/// As in `assert_eq!`, the sides are borrowed to compare them. Where that cannot be, as with the fields of a packed struct,
/// put the comparison into parentheses of its own: then it is checked as it stands. So is everything else: a condition with
/// `&&` or `||`, with lists of types (`parse::<u8>()`), or with more than 40 pieces.
#[macro_export]
macro_rules! check {
    ($($condition:tt)+) => {
        $crate::split_check!(
            ($($condition)+) [] [] []
            [. . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .]
            $($condition)+
        )
    };
}

/// Says that something happened, for whoever watches sequences of events.
///
/// ```no_run
/// fwvs::event!("landed", 1);
/// ```
#[macro_export]
macro_rules! event {
    ($name:literal $(,)?) => {
        $crate::event!($name, 0)
    };
    ($name:literal, $value:expr $(,)?) => {
        $crate::expansion::event($crate::name_entry!($name), $value as u32)
    };
}

/// A text in the table of names.
#[doc(hidden)]
#[macro_export]
macro_rules! name_entry {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const LENGTH: usize = $crate::expansion::NameEntry::<0>::length(TEXT);
        #[cfg_attr(target_os = "none", unsafe(link_section = "fwvs_names"))]
        static ENTRY: $crate::expansion::NameEntry<LENGTH> = $crate::expansion::NameEntry::new(TEXT);
        &ENTRY
    }};
}
