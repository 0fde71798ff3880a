//! The two sides of a comparison in `check!`: split by tokens, looked at only if the check fails.
//!
//! What a side was travels as bits. The target formats nothing, and a check that holds only compares.

use fwvs_kernel::Operation;
use fwvs_wire::value::{Known, Value};

use crate::choices::NameEntry;
use crate::gate::operate;

/// Both sides of a comparison that does not hold; lies on the stack of the task that is held at it.
pub(crate) type Sides = [Value; 2];

/// Something that the host has words for.
pub trait Plain {
    /// What it is, as it travels.
    fn value(&self) -> Value;
}

macro_rules! plain {
    ($($type:ty => $variant:ident($wide:ty)),+ $(,)?) => {$(
        impl Plain for $type {
            #[inline(always)]
            fn value(&self) -> Value {
                Value::new(Known::$variant(*self as $wide))
            }
        }
    )+};
}

plain! {
    u8 => Unsigned(u64), u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64), usize => Unsigned(u64),
    i8 => Signed(i64), i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64), isize => Signed(i64),
    bool => Bool(bool), char => Letter(char), f32 => Single(f32), f64 => Double(f64),
}

impl<T: Plain> Plain for Option<T> {
    #[inline(always)]
    fn value(&self) -> Value {
        match self {
            Some(inner) => inner.value().in_some(),
            None => Value::new(Known::Nothing),
        }
    }
}

impl<T: Plain + ?Sized> Plain for &T {
    #[inline(always)]
    fn value(&self) -> Value {
        (**self).value()
    }
}

/// One side. It has a method `value` of its own where the type is `Plain`; elsewhere the method is that of `Other`, for a type's own
/// methods are found before those of traits.
#[derive(Debug)]
pub struct Side<'a, T: ?Sized>(pub &'a T);

impl<T: Plain + ?Sized> Side<'_, T> {
    /// What it is, as it travels.
    #[inline(always)]
    pub fn value(self) -> Value {
        self.0.value()
    }
}

/// A side of any type.
pub trait Other {
    /// Nobody knows what it is.
    #[inline(always)]
    fn value(&self) -> Value {
        Value::UNKNOWN
    }
}

impl<T: ?Sized> Other for Side<'_, T> {}

/// A check of a comparison: `sides` is asked only if it does not hold.
#[inline(always)]
pub fn compare<const LENGTH: usize>(
    holds: bool,
    text: &'static NameEntry<LENGTH>,
    sides: impl FnOnce() -> Sides,
) {
    let mut values = core::mem::MaybeUninit::<Sides>::uninit();
    let mut body = core::ptr::null_mut();
    if !holds {
        body = core::ptr::from_mut(values.write(sides())).cast();
    }
    operate(Operation::assert(text.place(), holds), body);
}

/// Splits a condition at the comparison that it is, if it is one for certain; everything else is checked as it is.
///
/// In brackets: the condition, what was read of the left side, the operator, what was read of the right side, and a dot for
/// each piece that may still come, for a macro may call itself only so deep. What binds less tightly than a comparison would
/// make another condition of it, and a second operator may be a list of types.
#[doc(hidden)]
#[macro_export]
macro_rules! split_check {
    ($all:tt $left:tt $operator:tt $right:tt $room:tt && $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt $room:tt || $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt $room:tt if $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt $room:tt match $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt $room:tt return $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt $room:tt break $($rest:tt)*) => { $crate::plain_check! $all };

    ($all:tt [$($left:tt)+] [$operator:tt] [$($right:tt)+] $room:tt $(,)?) => {{
        // Nobody else runs while they are borrowed. Not `expect`: most sides are no such thing.
        #[allow(static_mut_refs)]
        match (&($($left)+), &($($right)+)) {
            (left, right) => $crate::expansion::compare(
                *left $operator *right,
                $crate::name_entry!($crate::condition_text! $all),
                || {
                    use $crate::expansion::Other as _;
                    [$crate::expansion::Side(left).value(), $crate::expansion::Side(right).value()]
                },
            ),
        };
    }};
    ($all:tt $left:tt $operator:tt $right:tt $room:tt $(,)?) => { $crate::plain_check! $all };
    ($all:tt $left:tt $operator:tt $right:tt [] $($rest:tt)+) => { $crate::plain_check! $all };

    ($all:tt $left:tt [] [] $room:tt == $($rest:tt)*) => { $crate::split_check!($all $left [==] [] $room $($rest)*) };
    ($all:tt $left:tt [] [] $room:tt != $($rest:tt)*) => { $crate::split_check!($all $left [!=] [] $room $($rest)*) };
    ($all:tt $left:tt [] [] $room:tt <= $($rest:tt)*) => { $crate::split_check!($all $left [<=] [] $room $($rest)*) };
    ($all:tt $left:tt [] [] $room:tt >= $($rest:tt)*) => { $crate::split_check!($all $left [>=] [] $room $($rest)*) };
    ($all:tt $left:tt [] [] $room:tt < $($rest:tt)*) => { $crate::split_check!($all $left [<] [] $room $($rest)*) };
    ($all:tt $left:tt [] [] $room:tt > $($rest:tt)*) => { $crate::split_check!($all $left [>] [] $room $($rest)*) };

    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt == $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt != $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt <= $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt >= $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt < $($rest:tt)*) => { $crate::plain_check! $all };
    ($all:tt $left:tt [$operator:tt] $right:tt $room:tt > $($rest:tt)*) => { $crate::plain_check! $all };

    ($all:tt [$($left:tt)*] [] [] [. $($room:tt)*] $next:tt $($rest:tt)*) => {
        $crate::split_check!($all [$($left)* $next] [] [] [$($room)*] $($rest)*)
    };
    ($all:tt $left:tt $operator:tt [$($right:tt)*] [. $($room:tt)*] $next:tt $($rest:tt)*) => {
        $crate::split_check!($all $left $operator [$($right)* $next] [$($room)*] $($rest)*)
    };
}

/// A check that is not split.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_check {
    ($condition:expr $(,)?) => {
        $crate::expansion::check($condition, $crate::name_entry!(::core::stringify!($condition)))
    };
}

/// A condition as text.
#[doc(hidden)]
#[macro_export]
macro_rules! condition_text {
    ($condition:expr $(,)?) => {
        ::core::stringify!($condition)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody has words for it.
    #[derive(Debug)]
    struct Strange;

    #[test]
    fn a_side_is_what_the_host_has_words_for_or_unknown() {
        assert_eq!(Side(&7_u8).value().known(), Some((Known::Unsigned(7), 0)));
        assert_eq!(Side(&-1_i16).value().known(), Some((Known::Signed(-1), 0)));
        assert_eq!(Side(&&true).value().known(), Some((Known::Bool(true), 0)));
        assert_eq!(Side(&Some('x')).value().known(), Some((Known::Letter('x'), 1)));
        assert_eq!(Side(&None::<u32>).value().known(), Some((Known::Nothing, 0)));
        assert_eq!(Side(&Strange).value(), Value::UNKNOWN);
        assert_eq!(Side("text").value(), Value::UNKNOWN);
    }
}
