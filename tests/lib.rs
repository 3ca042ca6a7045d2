//! Nothing but tests lives here: see `end_to_end`.
