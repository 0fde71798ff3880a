//! What host and target say to each other.
#![no_std]
