//! A receiver that notes every timer it is told of, and says yes.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};
use tidemill_model::Timestamp;

#[derive(Default)]
struct Heard {
    /// The idempotency keys under which an id has come, and how often each.
    ids: BTreeMap<String, BTreeMap<String, usize>>,
    early: usize,
}

pub(crate) struct Receiver {
    heard: Arc<Mutex<Heard>>,
    pub(crate) url: String,
}

impl Receiver {
    /// Lives as long as the test process; each answer takes so long.
    pub(crate) fn start(pause: Duration) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/timers", listener.local_addr().expect("bound"));
        let heard = Arc::<Mutex<Heard>>::default();
        let shared = heard.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let heard = shared.clone();
                thread::spawn(move || answer(stream, &heard, pause));
            }
        });
        Receiver { heard, url }
    }

    /// How many of these ids have come.
    pub(crate) fn count(&self, ids: &[String]) -> usize {
        let heard = self.heard.lock().expect("no holder panics");
        ids.iter().filter(|id| heard.ids.contains_key(*id)).count()
    }

    /// Different timers that have come.
    pub(crate) fn heard(&self) -> usize {
        self.heard.lock().expect("no holder panics").ids.len()
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.heard.lock().expect("no holder panics").ids.contains_key(id)
    }

    /// Occurrences of one timer.
    pub(crate) fn occurrences(&self, id: &str) -> usize {
        self.heard.lock().expect("no holder panics").ids.get(id).map_or(0, BTreeMap::len)
    }

    /// Calls beyond the first for each occurrence.
    pub(crate) fn repeated(&self) -> usize {
        let heard = self.heard.lock().expect("no holder panics");
        heard.ids.values().flat_map(BTreeMap::values).map(|calls| calls - 1).sum()
    }

    /// Timers that came before the time that they were scheduled for.
    pub(crate) fn early(&self) -> usize {
        self.heard.lock().expect("no holder panics").early
    }
}

fn answer(stream: TcpStream, heard: &Mutex<Heard>, pause: Duration) {
    let mut stream = BufReader::new(stream);
    while let Some(body) = read(&mut stream) {
        let told: Value = serde_json::from_slice(&body).expect("callbacks are JSON");
        let timers = match told.get("timers") {
            Some(Value::Array(timers)) => timers.clone(),
            _ => vec![told],
        };
        let text = |timer: &Value, name: &str| timer[name].as_str().expect(name).to_owned();
        let now = Timestamp(now_ms()).to_string();
        let mut noted = heard.lock().expect("no holder panics");
        for timer in &timers {
            let keys = noted.ids.entry(text(timer, "id")).or_default();
            *keys.entry(text(timer, "idempotencyKey")).or_default() += 1;
            // Both are dates of one length, so that their texts tell which is earlier.
            noted.early += usize::from(now < text(timer, "scheduledAt"));
        }
        drop(noted);
        thread::sleep(pause);
        if stream.get_mut().write_all(b"HTTP/1.1 204 No Content\r\n\r\n").is_err() {
            return;
        }
    }
}

/// By the clock of this machine, which is that of the stores in these tests.
pub(crate) fn now_ms() -> i64 {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    age.as_millis() as i64
}

/// The body of the next request; none when the sender has gone.
fn read(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}
