//! The pure part of the language: functions of field elements, for targets that have no threads and no memory
//! of their own.

use crate::error::PassError;
use crate::fir::ir::{Below, IntOp, Kernel, Op, Stmt, Type, Value};

/// An error names what a kernel has besides field operations.
pub(super) fn supports(kernel: &Kernel) -> Result<(), PassError> {
    let Some((Stmt::Yield(_), body)) = kernel.body.split_last() else {
        return Err(lacks("kernels of threads"));
    };
    for stmt in body {
        match stmt {
            Stmt::Let(v) => value(kernel, *v)?,
            _ => return Err(lacks("control, calls, memory or messages between threads")),
        }
    }
    Ok(())
}

/// The results of a function that is supported.
pub(super) fn results(kernel: &Kernel) -> &[Value] {
    match kernel.body.last() {
        Some(Stmt::Yield(results)) => results,
        _ => &[],
    }
}

/// The element that these are the words of, if they are those of one.
pub(super) fn element(kernel: &Kernel, words: &[Value]) -> Option<Value> {
    let part = |v: &Value| match kernel[*v] {
        Op::Word(of, i, Below::CANONICAL) => Some((of, i)),
        _ => None,
    };
    let (of, _) = words.first().and_then(part)?;
    words.iter().zip(0..).all(|(v, i)| part(v) == Some((of, i))).then_some(of)
}

pub(super) fn lacks(what: &str) -> PassError {
    PassError::Unsupported(what.into())
}

fn value(kernel: &Kernel, v: Value) -> Result<(), PassError> {
    match &kernel[v] {
        Op::FromWords(_, below) | Op::Word(.., below) if *below != Below::CANONICAL => {
            Err(lacks("words of elements that are not canonical"))
        }
        Op::FromWords(words, _) if element(kernel, words).is_none() => {
            Err(lacks("elements that are made of words"))
        }
        Op::Argument(_) | Op::Select(..) if kernel.ty(v).level().is_none() => Err(lacks("integers")),
        Op::Argument(_) | Op::Select(..) | Op::FromWords(..) | Op::Const(_) | Op::Field(..) => Ok(()),
        Op::Compose(..) | Op::Coefficient(..) | Op::Not(_) | Op::Bool(_) => Ok(()),
        Op::Int(IntOp::And | IntOp::Or, ..) if kernel.ty(v) == Type::Pred => Ok(()),
        // What reads it is judged.
        Op::Word(..) => Ok(()),
        Op::Get(_) => Err(lacks("locals")),
        _ => Err(lacks("operations on integers")),
    }
}
