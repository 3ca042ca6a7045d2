//! The adapters against a scripted server over real sockets, on a clock that only moves when told to.

#[cfg(test)]
mod chat;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod embed;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod json;
#[cfg(test)]
mod network;
#[cfg(test)]
mod rerank;
#[cfg(test)]
mod retries;
#[cfg(test)]
mod support;
#[cfg(test)]
mod timeouts;
