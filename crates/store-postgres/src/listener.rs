//! The one connection that listens. When it is lost, it is opened again, and everybody is notified, because nobody
//! knows what was missed.

use crate::connect::{Connector, Settings, quoted};
use crate::wakeup::Notifiers;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tidemill_model::PartitionId;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Listens for as long as somebody else holds the notifiers.
pub(crate) fn start(connector: Arc<Connector>, settings: Settings, notifiers: &Arc<Notifiers>) {
    let listener = Listener { connector, settings, notifiers: Arc::downgrade(notifiers) };
    tokio::spawn(listener.run());
}

struct Listener {
    connector: Arc<Connector>,
    settings: Settings,
    /// Weak, so that a store that is dropped does not go on listening.
    notifiers: Weak<Notifiers>,
}

impl Listener {
    async fn run(self) {
        let mut pause = FIRST_PAUSE;
        let mut is_first = true;
        let mut is_told = false;
        while self.notifiers.strong_count() > 0 {
            let listened = self.listen(is_first).await;
            is_first = false;
            if let Some(notifiers) = self.notifiers.upgrade() {
                notifiers.set_listening(false);
            }
            match listened {
                Ok(()) => (pause, is_told) = (FIRST_PAUSE, false),
                // Once is enough: it is tried until it works.
                Err(reason) if !is_told => {
                    tracing::warn!(place = self.connector.place(), reason, "cannot listen for wake-ups");
                    is_told = true;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                Err(reason) => {
                    tracing::debug!(place = self.connector.place(), reason, "cannot listen for wake-ups");
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
            // With jitter, so that nodes that lost the same server do not come back together.
            tokio::time::sleep(pause.mul_f64(0.5 + fastrand::f64())).await;
        }
    }

    /// Returns when the connection is lost. All are rung but for the first time, when nothing was missed.
    async fn listen(&self, is_first: bool) -> Result<(), String> {
        let (client, mut notices) =
            self.connector.open(&self.settings).await.map_err(|error| error.to_string())?;
        let Some(channel) = self.notifiers.upgrade().map(|notifiers| quoted(notifiers.channel())) else {
            return Ok(());
        };
        client.batch_execute(&format!("LISTEN {channel}")).await.map_err(|error| error.to_string())?;
        if let Some(notifiers) = self.notifiers.upgrade() {
            notifiers.set_listening(true);
            if !is_first {
                notifiers.notify_every();
            }
        }
        loop {
            let notice = tokio::time::timeout(LONGEST_PAUSE, notices.recv()).await;
            let Some(notifiers) = self.notifiers.upgrade() else { return Ok(()) };
            match notice {
                Ok(Some(payload)) => notify(&notifiers, &payload),
                Ok(None) => return Ok(()),
                // Nothing came; the store may have been closed meanwhile.
                Err(_) => {}
            }
        }
    }
}

fn notify(notifiers: &Notifiers, payload: &str) {
    match payload.split(',').map(|id| id.parse().map(PartitionId)).collect::<Result<Vec<_>, _>>() {
        Ok(partitions) => notifiers.notify(&partitions),
        // A payload that cannot be read wakes everybody, because a look too many does no harm.
        Err(_) => notifiers.notify_every(),
    }
}
