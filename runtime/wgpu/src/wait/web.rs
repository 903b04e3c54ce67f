//! Waiting in a browser.
#![allow(deprecated, reason = "wasm-bindgen marks what it has of JSPI as experimental")]

use js_sys::futures::jspi_block_on_promise;
use js_sys::{Function, Promise};
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use wasm_bindgen::JsValue;

thread_local! {
    /// Whether somebody woke since the last pause.
    static WOKEN: Cell<bool> = const { Cell::new(false) };
    /// What ends the pauses that go on.
    static PAUSED: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
}

struct Waker;

impl Wake for Waker {
    fn wake(self: Arc<Self>) {
        wake();
    }
}

/// The outcome of a future, for which the call is set aside.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Arc::new(Waker).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => pause(),
        }
    }
}

/// Sets the call aside until somebody [wakes](wake) it, or has done so since the last pause.
pub(crate) fn pause() {
    if !WOKEN.replace(false) {
        let paused = Promise::new(&mut |resolve, _| PAUSED.with_borrow_mut(|paused| paused.push(resolve)));
        // It is never rejected.
        let _ = jspi_block_on_promise(&paused);
    }
}

/// Ends all pauses; what they wait for looks again.
pub(crate) fn wake() {
    let paused = PAUSED.take();
    if paused.is_empty() {
        WOKEN.set(true);
    }
    for resolve in paused {
        // To resolve a promise throws nothing.
        let _ = resolve.call0(&JsValue::UNDEFINED);
    }
}
