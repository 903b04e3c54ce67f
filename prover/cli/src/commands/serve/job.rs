//! Jobs as clients bring them: a line each.

use super::client::Client;
use super::lines::{self, Line, MAX_LINE};
use super::queue::Queue;
use crate::commands::jobs::Job;
use crate::failure::Failure;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::io::AsyncBufRead;

/// A job, and who is told of its proof.
pub(super) struct Asked {
    pub(super) job: Job,
    pub(super) client: Arc<Client>,
}

impl Asked {
    /// Whether nobody would see its proof.
    pub(super) fn is_pointless(&self) -> bool {
        (self.job.proof.is_none() || self.job.public.is_none()) && self.client.is_gone()
    }

    /// Answers that it is not proven through no fault of its own.
    pub(super) fn refuse(&self, why: &str) {
        self.client.answer(&self.job.id, &Err(Failure::Internal(why.into())));
    }
}

impl AsRef<Job> for Asked {
    fn as_ref(&self) -> &Job {
        &self.job
    }
}

/// Queues the jobs of an input until it ends. Lines that are none are answered here.
pub(super) async fn read_jobs(
    mut input: impl AsyncBufRead + Unpin,
    client: Arc<Client>,
    queue: &Queue,
) -> io::Result<()> {
    let mut line = Vec::new();
    // Nobody waits for the jobs of one that takes no answers.
    while client.is_ready().await {
        let Some(read) = client.unless_gone(lines::next(&mut input, &mut line)).await else { break };
        let job = match read? {
            Line::End => break,
            Line::TooLong => Err((Value::Null, format!("the line has more than {MAX_LINE} bytes"))),
            Line::Whole if line.trim_ascii().is_empty() => continue,
            Line::Whole => Job::parse(&line).map(|job| Asked { job, client: client.clone() }),
        };
        match job {
            Ok(job) => {
                let place = client.unless_gone(queue.place()).await.flatten();
                if let Some(job) = queue.push(job, place) {
                    job.refuse("not begun: the service ends");
                }
            }
            Err((id, error)) => client.answer(&id, &Err(Failure::Input(error))),
        }
    }
    Ok(())
}
