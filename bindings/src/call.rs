//! What surrounds each call of a binding.

use crate::error::{Error, ErrorKind, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that used the library first; 0 before.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Runs `work` as a call of a binding.
///
/// Errors: those of `work`; [`ErrorKind::Internal`] for a panic, which is a bug, and in a process that was
/// forked from one that had used the library: threads and GPUs do not follow a fork, and a call would wait
/// for them for ever.
pub fn call<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    check_process(&PROCESS, process::id())?;
    // What a panic leaves behind is dropped, or lies behind locks that recover.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic)))
}

fn check_process(first: &AtomicU32, own: u32) -> Result<()> {
    match first.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(user) if user != own => Err(Error::new(
            ErrorKind::Internal,
            format_args!(
                "this process ({own}) was forked from one that had used the library ({user}), whose threads and devices did \
                 not follow: fork first, or start a new program in the child"
            ),
        )),
        _ => Ok(()),
    }
}

fn of_panic(panic: &(dyn Any + Send)) -> Error {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(ErrorKind::Internal, format_args!("a bug of curvesmith: {}", text.unwrap_or("panic")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let error = call::<()>(|| panic!("{} is wrong", 7)).unwrap_err();
        assert_eq!((error.kind, &*error.message), (ErrorKind::Internal, "a bug of curvesmith: 7 is wrong"));
        assert_eq!(call(|| Ok(1)).unwrap(), 1);
    }

    #[test]
    fn another_process_is_refused() {
        let first = AtomicU32::new(0);
        assert!(check_process(&first, 5).is_ok());
        assert!(check_process(&first, 5).is_ok());
        let error = check_process(&first, 6).unwrap_err();
        assert!(
            error.message.starts_with("this process (6) was forked from one that had used the library (5)")
        );
        assert!(check_process(&first, 5).is_ok());
    }
}
