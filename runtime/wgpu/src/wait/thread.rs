//! Waiting in a thread.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The outcome of a future of wgpu, which outside of browsers is there at once.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => pause(),
        }
    }
}

/// Lets others run before one looks again.
pub(crate) fn pause() {
    std::thread::yield_now();
}

/// Nothing: who pauses looks again.
pub(crate) fn wake() {}
