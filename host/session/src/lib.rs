//! Firmware on a target, seen as a `System`.
