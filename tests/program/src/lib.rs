//! A small operation list.
#![no_std]
