//! The connection to Redis, made anew where it is lost.

use super::ending::Ending;
use crate::failure::Failure;
use redis::{Client, Connection, ErrorKind, ProtocolVersion, RedisError, RedisResult};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{error, fmt};

/// How long Redis may take for an answer, beside what it is asked to wait.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The wait after the first failure; it doubles with each that follows.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Codes of a server's errors that pass by themselves, as after a failover, or with the group that every
/// connection makes.
const PASSING: [&str; 11] = [
    "BUSY",
    "CLUSTERDOWN",
    "LOADING",
    "MASTERDOWN",
    "MISCONF",
    "NOGROUP",
    "NOREPLICAS",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "UNBLOCKED",
];

/// Why Redis cannot be used.
#[derive(Debug)]
pub(super) enum LinkError {
    /// It refuses what is asked, or there is none at the start: the operator's URL, password or names are
    /// wrong.
    Refused(RedisError),
    /// It was lost, and did not come back in this time: the operator's network or server.
    Lost(Duration, RedisError),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Refused(error) => write!(f, "redis: {error}"),
            LinkError::Lost(time, error) => {
                write!(f, "redis: lost, and not back after {} s: {error}", time.as_secs())
            }
        }
    }
}

impl error::Error for LinkError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        let (LinkError::Refused(error) | LinkError::Lost(_, error)) = self;
        Some(error)
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Refused(_) => Failure::Input(error.to_string()),
            LinkError::Lost(..) => Failure::Internal(error.to_string()),
        }
    }
}

/// Asks Redis, and does not give up at once.
pub(super) struct Link {
    client: Client,
    /// Dropped by every error: what was sent on it may still be answered.
    connection: Option<Connection>,
    /// Stream and group, which every connection finds or makes.
    group: [String; 2],
    /// How long a lost Redis is waited for.
    patience: Duration,
    ending: Arc<Ending>,
}

impl Link {
    /// Connects once, so that a wrong URL is told at once.
    pub(super) fn open(
        url: &str,
        group: [&str; 2],
        patience: Duration,
        ending: Arc<Ending>,
    ) -> Result<Self, LinkError> {
        let client = client(url).map_err(LinkError::Refused)?;
        let mut link = Self { client, connection: None, group: group.map(str::to_owned), patience, ending };
        link.attempt(|_| Ok(())).map_err(LinkError::Refused)?;
        Ok(link)
    }

    /// Another one to the same server.
    pub(super) fn another(&self) -> Self {
        let (client, group, ending) = (self.client.clone(), self.group.clone(), self.ending.clone());
        Self { client, connection: None, group, patience: self.patience, ending }
    }

    /// Asks until there is an answer, which what was done already has to get.
    pub(super) fn ask<T>(
        &mut self,
        request: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, LinkError> {
        let mut waits = Waits::new(self.patience);
        loop {
            match self.attempt(&request) {
                Ok(answer) => return Ok(answer),
                Err(error) => std::thread::sleep(waits.next(error)?),
            }
        }
    }

    /// Asks until there is an answer or a reason to end, for what is not begun.
    pub(super) fn ask_before_end<T>(
        &mut self,
        request: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> Result<Option<T>, LinkError> {
        let mut waits = Waits::new(self.patience);
        while self.ending.reason().is_none() {
            match self.attempt(&request) {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) => self.ending.wait(waits.next(error)?),
            }
        }
        Ok(None)
    }

    /// Waits, no longer than until there is a reason to end.
    pub(super) fn wait(&self, time: Duration) {
        self.ending.wait(time);
    }

    /// Asks once.
    pub(super) fn attempt<T>(
        &mut self,
        request: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> RedisResult<T> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let answer = request(&mut connection)?;
        self.connection = Some(connection);
        Ok(answer)
    }

    fn connect(&self) -> RedisResult<Connection> {
        let mut connection = self.client.get_connection_with_timeout(TIMEOUT)?;
        connection.set_read_timeout(Some(TIMEOUT))?;
        connection.set_write_timeout(Some(TIMEOUT))?;
        let mut create = redis::cmd("XGROUP");
        // From the first entry: jobs may have come before the first worker.
        create.arg("CREATE").arg(&self.group).arg("0").arg("MKSTREAM");
        match create.exec(&mut connection) {
            Err(error) if error.code() == Some("BUSYGROUP") => Ok(connection),
            Err(error) => Err(error),
            Ok(()) => Ok(connection),
        }
    }
}

/// In the second version of the protocol, whatever the URL says: answers have the same form everywhere then.
fn client(url: &str) -> RedisResult<Client> {
    let info: redis::ConnectionInfo = url.parse()?;
    let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP2);
    Client::open(info.set_redis_settings(settings))
}

/// The waits between attempts that fail.
struct Waits {
    start: Instant,
    patience: Duration,
    next: Duration,
}

impl Waits {
    fn new(patience: Duration) -> Self {
        Self { start: Instant::now(), patience, next: FIRST_WAIT }
    }

    /// How long to wait after this error, or that it is the last one.
    fn next(&mut self, error: RedisError) -> Result<Duration, LinkError> {
        if !may_pass(&error) {
            return Err(LinkError::Refused(error));
        }
        if self.start.elapsed() >= self.patience {
            return Err(LinkError::Lost(self.patience, error));
        }
        tracing::warn!(%error, "redis does not answer");
        let wait = self.next.min(LONGEST_WAIT);
        self.next = 2 * wait;
        Ok(wait)
    }
}

fn may_pass(error: &RedisError) -> bool {
    match error.kind() {
        // An answer that ends in the middle is a parse error.
        ErrorKind::Io | ErrorKind::Parse => true,
        _ => error.code().is_some_and(|code| PASSING.contains(&code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn waits_double_up_to_a_limit_and_end() {
        let lost = || RedisError::from(io::Error::from(io::ErrorKind::ConnectionRefused));
        let mut waits = Waits::new(Duration::from_secs(60));
        let all: Vec<_> = (0..9).map(|_| waits.next(lost()).unwrap().as_millis()).collect();
        assert_eq!(all, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        let last = Waits::new(Duration::ZERO).next(lost());
        assert!(matches!(last, Err(LinkError::Lost(Duration::ZERO, _))), "{last:?}");
    }

    #[test]
    fn what_does_not_pass_is_not_waited_for() {
        let refusals =
            [(ErrorKind::AuthenticationFailed, "password"), (ErrorKind::InvalidClientConfig, "url")];
        for refusal in refusals {
            let answer = Waits::new(Duration::from_secs(60)).next(refusal.into());
            assert!(matches!(answer, Err(LinkError::Refused(_))), "{answer:?}");
        }
    }
}
