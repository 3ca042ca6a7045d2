//! The service on recorded and generated sessions.

mod cases;
mod generated;
mod generator;
