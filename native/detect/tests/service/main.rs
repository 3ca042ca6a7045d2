//! The service on recorded and generated sessions.

mod behaviour;
mod cases;
mod generated;
mod generator;
mod judge;
