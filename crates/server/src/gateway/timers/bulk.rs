//! Many timers in one request: a line for each, answered line by line while they come. A client can send the
//! lines again that were cut off.

use super::lines::{Lines, Taken};
use super::one::result;
use super::query::QueryWords;
use super::{Timers, answered, scope_of, wrong};
use crate::gateway::call::{Handled, unsupported_media_type};
use crate::gateway::json::JsonText;
use crate::gateway::problem::Problem;
use crate::timers::id::check_own;
use crate::timers::service::{LastLine, Made, NewTimer, TimerFailure};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, join_all};
use futures_util::stream::FuturesOrdered;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use tidemill_model::Timestamp;
use tidemill_timers::block::Scope;
use tidemill_timers::shard::Mode;

/// Lines that are worked on together, and their bytes.
const LINES_AT_A_TIME: usize = 1_000;
const BYTES_AT_A_TIME: usize = 1 << 20;
/// Answers that wait to be taken; then no more lines are read.
const ANSWERS_WAITING: usize = 4;
/// Portions of lines that a request has in work at a time.
const WORKS_AT_A_TIME: usize = 4;
const STREAM_BYTES_MAX: usize = 200;
/// Of an answer, more or less.
const ANSWER_BYTES: usize = 110;
const NDJSON: &str = "application/x-ndjson";

/// How each request reads its lines.
#[derive(Clone)]
struct Bulk {
    timers: Timers,
    scope: Arc<Scope>,
    /// Lines without an id of their own get one of this and their number.
    stream: Option<String>,
}

pub(super) async fn create(State(timers): State<Timers>, request: Request) -> Response {
    let uri = request.uri().clone();
    answered(begin(timers, request, |bulk, lines| Box::pin(create_lines(bulk, lines))), &uri)
}

pub(super) async fn cancel(State(timers): State<Timers>, request: Request) -> Response {
    let uri = request.uri().clone();
    answered(begin(timers, request, |bulk, lines| Box::pin(cancel_lines(bulk, lines))), &uri)
}

/// The answers: a line for each.
type Worked = BoxFuture<'static, String>;

/// The answer begins at once: whoever sends many lines reads answers meanwhile.
fn begin(timers: Timers, request: Request, work: fn(Bulk, Vec<(u64, Bytes)>) -> Worked) -> Handled {
    check_lines(request.headers())?;
    let words = QueryWords::of(request.uri())?;
    let stream = words.get("stream").map(str::to_owned);
    if let Some(stream) = &stream {
        let is_long = stream.len() > STREAM_BYTES_MAX;
        check_own(stream).map_err(|error| Problem::bad_request(format!("stream: {error}")))?;
        if is_long {
            return Err(Problem::bad_request(format!("stream: Expected at most {STREAM_BYTES_MAX} bytes")));
        }
    }
    let first = match words.get("firstLine").map(str::parse::<u64>) {
        None => 1,
        Some(Ok(first)) if first > 0 => first,
        Some(_) => return Err(Problem::bad_request("Expected firstLine as a number from 1 on")),
    };
    let scope = scope_of(words.get("tenantId"), words.get("namespace"))?;
    let bulk = Bulk { scope, stream, timers };
    let (body, silence_max) = (request.into_body(), bulk.timers.gateway.config.stall_timeout);
    let (answers, told) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(ANSWERS_WAITING);
    tokio::spawn(run(bulk, Lines::new(body, silence_max, first), work, answers));
    let told =
        futures_util::stream::unfold(told, async |mut told| told.recv().await.map(|next| (next, told)));
    let body = Body::from_stream(told);
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, NDJSON)], body).into_response())
}

type Answers = tokio::sync::mpsc::Sender<Result<Bytes, std::io::Error>>;
type Reading = BoxFuture<'static, (Lines, Taken)>;

/// While some lines are being written, the next are read. Work on lines begins in their order, and answers keep it.
async fn run(bulk: Bulk, lines: Lines, work: fn(Bulk, Vec<(u64, Bytes)>) -> Worked, answers: Answers) {
    let (mut reading, mut works) = (Some(read(lines)), FuturesOrdered::<Worked>::new());
    while reading.is_some() || !works.is_empty() {
        let has_room = works.len() < WORKS_AT_A_TIME;
        tokio::select! {
            biased;
            Some(text) = works.next(), if !works.is_empty() => {
                // Whoever has gone away does not want the answers.
                if answers.send(Ok(Bytes::from(text))).await.is_err() {
                    return;
                }
            }
            (lines, taken) = next(&mut reading), if has_room && reading.is_some() => {
                let is_over = taken.is_over || taken.problem.is_some();
                reading = (!is_over).then(|| read(lines));
                works.push_back(with_problem(work(bulk.clone(), taken.lines), taken.problem));
            }
        }
    }
}

fn read(mut lines: Lines) -> Reading {
    Box::pin(async move {
        let taken = lines.take(LINES_AT_A_TIME, BYTES_AT_A_TIME).await;
        (lines, taken)
    })
}

async fn next(reading: &mut Option<Reading>) -> (Lines, Taken) {
    match reading {
        Some(reading) => reading.await,
        None => std::future::pending().await,
    }
}

/// The answers, and why no more lines can be read.
fn with_problem(worked: Worked, problem: Option<String>) -> Worked {
    Box::pin(async move {
        let mut text = worked.await;
        if let Some(reason) = problem {
            text.push_str(&json!({"error": {"status": 400, "detail": reason}}).to_string());
            text.push('\n');
        }
        text
    })
}

/// Web pages may send other media types to servers of others without being asked first.
fn check_lines(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).map_or("null", |given| given.to_str().unwrap_or_default());
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known = [NDJSON, "application/ndjson", "application/jsonl", "application/json"];
    if known.contains(&essence.as_str()) { Ok(()) } else { Err(unsupported_media_type(given)) }
}

fn failed(line: u64, problem: Problem) -> String {
    let mut shown = problem.to_json("");
    if let Value::Object(members) = &mut shown {
        ["type", "instance"].iter().for_each(|name| drop(members.remove(*name)));
    }
    json!({"line": line, "error": shown}).to_string()
}

async fn create_lines(bulk: Bulk, lines: Vec<(u64, Bytes)>) -> String {
    let mut last = LastLine::default();
    let mut given = bulk.timers.circumstances(&bulk.scope);
    let (mut numbers, mut timers) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
    for (number, line) in lines {
        given.seed = given.seed.wrapping_add(1);
        let read = read_line(&bulk, &given, number, &line, &mut last);
        numbers.push((number, read.map(|timer| timers.push(timer)).err()));
    }
    let mut made = bulk.timers.service.create_all(timers).await.into_iter();
    let mut text = String::with_capacity(ANSWER_BYTES * numbers.len());
    for (number, problem) in numbers {
        let unanswered = || Err(TimerFailure::Refused("nothing was answered".to_owned()));
        match problem {
            Some(problem) => text.push_str(&failed(number, problem)),
            None => match made.next().unwrap_or_else(unanswered) {
                Ok(made) => show_line(&mut text, &made, number),
                Err(failure) => text.push_str(&failed(number, failure.into())),
            },
        }
        text.push('\n');
    }
    text
}

/// As `shown` with the number of the line. There are many of them, so they are written without a tree of values.
fn show_line(text: &mut String, made: &Made, line: u64) {
    let execute_at = Timestamp(made.due_ms);
    text.push_str(if made.is_new {
        r#"{"created":true,"executeAt":""#
    } else {
        r#"{"created":false,"executeAt":""#
    });
    // Written to a text, which never fails.
    let _ = write!(text, r#"{execute_at}","id":{},"line":{line}}}"#, JsonText(&made.id));
}

fn read_line(
    bulk: &Bulk,
    given: &crate::timers::service::Circumstances,
    number: u64,
    line: &[u8],
    last: &mut LastLine,
) -> Result<NewTimer, Problem> {
    let stream_id = bulk.stream.as_ref().map(|stream| format!("{stream}.{number}"));
    let timer = NewTimer::from_line(line, given, last).map_err(|errors| wrong(&errors))?;
    match stream_id {
        // A line that is sent again finds the timer that it has made.
        Some(id) if timer.own_id.is_none() => Ok(timer.named(id, Mode::Keep)),
        _ => Ok(timer),
    }
}

async fn cancel_lines(bulk: Bulk, lines: Vec<(u64, Bytes)>) -> String {
    let cancelled = lines.into_iter().map(async |(number, line)| {
        let (id, scope) = match read_id(&bulk, &line) {
            Ok(read) => read,
            Err(problem) => return failed(number, problem),
        };
        match bulk.timers.service.cancel(&scope, &id).await {
            Ok(cancelled) => json!({"line": number, "id": id, "result": result(cancelled)}).to_string(),
            Err(failure) => failed(number, failure.into()),
        }
    });
    join_all(cancelled).await.iter().flat_map(|outcome| [outcome.as_str(), "\n"]).collect()
}

/// An id as a text, or an object with it, its tenant and its namespace.
fn read_id(bulk: &Bulk, line: &[u8]) -> Result<(String, Arc<Scope>), Problem> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        Problem::bad_request(format!("Expected an id, but the line cannot be read: {error}"))
    })?;
    match &value {
        Value::String(id) => Ok((id.clone(), bulk.scope.clone())),
        Value::Object(members) => {
            let id = members.get("id").and_then(Value::as_str);
            let id = id.ok_or_else(|| Problem::bad_request("Expected a text as id, but there is none"))?;
            let named = |name: &str| members.get(name).and_then(Value::as_str);
            let scope = match (named("tenantId"), named("namespace")) {
                (None, None) => bulk.scope.clone(),
                (tenant, name) => {
                    scope_of(tenant.or(Some(&bulk.scope.tenant)), name.or(Some(&bulk.scope.namespace)))?
                }
            };
            Ok((id.to_owned(), scope))
        }
        _ => Err(TimerFailure::Refused("a line is neither a text nor an object".to_owned()).into()),
    }
}
