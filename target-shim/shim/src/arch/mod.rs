//! The few instructions that Rust cannot write, and stand-ins that let the crate be checked on a host.

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "arm")]
pub(crate) use arm::*;

#[cfg(not(target_arch = "arm"))]
mod absent;
#[cfg(not(target_arch = "arm"))]
pub(crate) use absent::*;
