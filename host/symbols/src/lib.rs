//! What a firmware ELF says.
