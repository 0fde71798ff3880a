//! The target shim.
#![no_std]
