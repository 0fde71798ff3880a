//! What RTOS operations mean.
#![no_std]
