//! The way of a command from a handler to the engine and back: rates, idempotency, answers now or later.

use super::call::{Call, Handled};
use super::json;
use super::problem::Problem;
use crate::broker::{CommandError, CommandOptions, Idempotency, Receipt};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;
use tidemill_model::{Answer, Command, TenantId, Text};

/// Longer keys are refused, because they are stored and indexed.
const IDEMPOTENCY_KEY_BYTES_MAX: usize = 256;

impl Call {
    /// Runs a command and shows its answer; with `Prefer: respond-async`, says where to ask for it later.
    pub(crate) async fn submit(&self, command: Command, show: impl FnOnce(Answer) -> Response) -> Handled {
        let options = self.options(&command)?;
        let (broker, intent) = (&self.gateway.broker, command.intent());
        if self.prefers_async() {
            let receipt = broker.enqueue(command, options).await;
            return receipt.map(accepted).map_err(|error| Problem::command(intent, error));
        }
        broker.execute(command, options).await.map(show).map_err(|error| Problem::command(intent, error))
    }

    /// The options that go along with a command. Counts it against the rate of its tenant.
    pub(crate) fn options(&self, request: &impl Serialize) -> Result<CommandOptions, Problem> {
        let options = self.options_of_part()?;
        let idempotency =
            self.idempotency_key()?.map(|key| Idempotency { key, fingerprint: self.fingerprint(request) });
        Ok(CommandOptions { idempotency, ..options })
    }

    /// The same for one of many commands of a request, which can all be sent again.
    pub(crate) fn options_of_part(&self) -> Result<CommandOptions, Problem> {
        let tenant = TenantId::default();
        if let Err(retry_after) = self.gateway.rates.admit(&tenant) {
            return Err(Problem::command("", CommandError::RateLimited { retry_after }));
        }
        Ok(CommandOptions { tenant, idempotency: None })
    }

    /// A retry of an activation gets other jobs, or has to wait for the first ones: their leases end by themselves.
    pub(crate) fn refuse_idempotency_key(&self) -> Result<(), Problem> {
        match self.headers.contains_key("idempotency-key") {
            true => Err(Problem::bad_request(
                "Expected an activation without Idempotency-Key, but there is one: each activation hands out other \
                 jobs. Jobs whose answer got lost are handed out again when their timeout is over",
            )),
            false => Ok(()),
        }
    }

    fn idempotency_key(&self) -> Result<Option<Text>, Problem> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        let key = value.to_str().map(str::trim).ok().filter(|key| !key.is_empty());
        match key {
            Some(key) if key.len() <= IDEMPOTENCY_KEY_BYTES_MAX => Ok(Some(key.into())),
            _ => Err(Problem::bad_request(format!(
                "The Idempotency-Key must have 1 to {IDEMPOTENCY_KEY_BYTES_MAX} printable ASCII characters"
            ))),
        }
    }

    /// FNV-1a over the operation and the command itself rather than the bytes that came in: boundaries of
    /// multipart bodies and the order of members differ between retries.
    fn fingerprint(&self, request: &impl Serialize) -> u64 {
        let request = serde_json::to_vec(request).expect("commands are plain data");
        let bytes = self.operation.id.bytes().chain([0xff]).chain(request);
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    pub(crate) fn prefers_async(&self) -> bool {
        let values = self.headers.get_all("prefer").into_iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split([',', ';']))
            .any(|preference| preference.trim().eq_ignore_ascii_case("respond-async"))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    command_position: String,
    timestamp: json::Date,
}

fn accepted(receipt: Receipt) -> Response {
    let position = receipt.position.to_string();
    let location = format!("/v1/commands/{position}");
    let body = Accepted { command_position: position, timestamp: json::Date(receipt.received_at) };
    let mut response = json::with_status(StatusCode::ACCEPTED, &body);
    let headers = response.headers_mut();
    headers.insert("preference-applied", HeaderValue::from_static("respond-async"));
    if let Ok(location) = HeaderValue::from_str(&location) {
        headers.insert("location", location);
    }
    response
}
