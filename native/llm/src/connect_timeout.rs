//! A limit on connecting that runs on the injected clock; reqwest's own runs on wall time.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use ouro_core::{Clock, clock::with_timeout};
use tower_layer::Layer;
use tower_service::Service;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Puts [`ConnectTimeout`] around reqwest's connector.
#[derive(Clone)]
pub(crate) struct ConnectTimeoutLayer {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limit: Duration,
}

/// A connector that gives up after the limit.
#[derive(Clone)]
pub(crate) struct ConnectTimeout<S> {
    inner: S,
    layer: ConnectTimeoutLayer,
}

impl<S> Layer<S> for ConnectTimeoutLayer {
    type Service = ConnectTimeout<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ConnectTimeout { inner, layer: self.clone() }
    }
}

impl<S, Target> Service<Target> for ConnectTimeout<S>
where
    S: Service<Target, Error = BoxError>,
    S::Response: 'static,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, target: Target) -> Self::Future {
        let connecting = self.inner.call(target);
        let ConnectTimeoutLayer { clock, limit } = self.layer.clone();
        Box::pin(async move { with_timeout(&*clock, limit, "connecting", connecting).await? })
    }
}
