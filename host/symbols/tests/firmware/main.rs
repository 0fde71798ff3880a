//! What can be asked of a firmware, and what is said about files that are none.

mod answers;
mod damage;
mod errors;
mod image;
mod places;
