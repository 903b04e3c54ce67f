//! How a caller ends a proof early.

/// A wish to end a call early. Clones share it.
///
/// A GPU completes what it has begun; the CPU ends between the steps of a proof.
#[derive(Clone, Debug, Default)]
pub struct Cancel(pub(crate) curvesmith::Cancel);

impl Cancel {
    /// Asks for the end: calls that were given this fail with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn cancel(&self) {
        self.0.cancel();
    }
}
