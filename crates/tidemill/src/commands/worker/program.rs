//! One run of a worker's program, and what its end means for the job.

use super::job::Job;
use crate::client::{is_object, no_variables};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The exit code by which a program throws a BPMN error.
const ERROR_EXIT_CODE: i32 = 100;
/// Of standard error, so much becomes the message of an incident.
const MESSAGE_BYTES_MAX: usize = 4_000;

pub(super) struct Program<'a> {
    pub(super) command: &'a str,
}

#[derive(Debug)]
pub(super) enum Ending {
    Complete(Box<RawValue>),
    Error { code: String, message: Option<String>, variables: Box<RawValue> },
    Failed(String),
}

impl Program<'_> {
    pub(super) fn run(&self, job: &Job) -> Ending {
        match self.output(job) {
            Ok(output) => {
                // The error output of a program is for people who watch the worker. A reader who has left is
                // no reason to fail a job.
                let _ = std::io::stderr().write_all(&output.stderr);
                ending(&output)
            }
            Err(error) => Ending::Failed(format!("the program could not be run: {error}")),
        }
    }

    fn output(&self, job: &Job) -> std::io::Result<Output> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(self.command)
            .env("TIDEMILL_JOB_KEY", &job.job_key)
            .env("TIDEMILL_JOB_TYPE", &job.r#type)
            .env("TIDEMILL_JOB_RETRIES", job.retries.to_string())
            .env("TIDEMILL_JOB_HEADERS", job.custom_headers.get())
            .env("TIDEMILL_ELEMENT_ID", &job.element_id)
            .env("TIDEMILL_PROCESS_ID", &job.process_definition_id)
            .env("TIDEMILL_PROCESS_INSTANCE_KEY", &job.process_instance_key)
            .envs(job.traceparent().map(|context| ("TRACEPARENT", context)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let variables = job.variables.get().to_owned();
        let stdin = child.stdin.take();
        // Beside the reading, because a program may answer before it has read everything.
        let feeding = std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that wants no variables closes its input.
                let _ = stdin.write_all(variables.as_bytes());
            }
        });
        let output = child.wait_with_output();
        let _ = feeding.join();
        output
    }
}

fn ending(output: &Output) -> Ending {
    match output.status.code() {
        Some(0) => match object(&output.stdout) {
            Ok(variables) => Ending::Complete(variables),
            Err(reason) => Ending::Failed(format!("the program's output is no JSON object: {reason}")),
        },
        Some(ERROR_EXIT_CODE) => thrown(&output.stdout),
        code => {
            let said = tail(&output.stderr);
            let ended = code.map_or("was killed".to_owned(), |code| format!("ended with exit code {code}"));
            Ending::Failed(if said.is_empty() { format!("the program {ended}") } else { said })
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thrown {
    error_code: String,
    error_message: Option<String>,
    variables: Option<Box<RawValue>>,
}

fn thrown(stdout: &[u8]) -> Ending {
    match serde_json::from_slice::<Thrown>(stdout) {
        Ok(thrown) => Ending::Error {
            code: thrown.error_code,
            message: thrown.error_message,
            variables: thrown.variables.unwrap_or_else(no_variables),
        },
        Err(error) => Ending::Failed(format!(
            "the program ended with exit code {ERROR_EXIT_CODE}, but its output names no errorCode: {error}"
        )),
    }
}

/// Nothing at all means no variables.
fn object(stdout: &[u8]) -> Result<Box<RawValue>, String> {
    if stdout.trim_ascii().is_empty() {
        return Ok(no_variables());
    }
    match serde_json::from_slice::<Box<RawValue>>(stdout) {
        Ok(json) if is_object(&json) => Ok(json),
        Ok(_) => Err("it is JSON of another kind".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The end of what a program said: that is where the cause stands.
fn tail(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(MESSAGE_BYTES_MAX);
    String::from_utf8_lossy(&stderr[from..]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_with(command: &str, variables: &str) -> Ending {
        let job = format!(
            r#"{{"jobKey": "7", "type": "add", "retries": 3, "deadline": 0, "customHeaders": {{}}, "elementId": "e",
            "processDefinitionId": "p", "processInstanceKey": "5", "variables": {variables}}}"#
        );
        Program { command }.run(&serde_json::from_str(&job).expect("a job"))
    }

    fn completed(command: &str, variables: &str) -> String {
        match run_with(command, variables) {
            Ending::Complete(variables) => variables.get().to_owned(),
            other => panic!("not complete: {other:?}"),
        }
    }

    fn failed(command: &str) -> String {
        match run_with(command, "{}") {
            Ending::Failed(message) => message,
            other => panic!("not failed: {other:?}"),
        }
    }

    #[test]
    fn exit_code_0_completes_with_the_output() {
        assert_eq!(completed("cat", r#"{"a": 1}"#), r#"{"a": 1}"#);
        assert_eq!(completed("true", "{}"), "{}");
        assert_eq!(completed("echo \"{\\\"key\\\": $TIDEMILL_JOB_KEY}\"", "{}"), r#"{"key": 7}"#);
        assert!(failed("echo 3").contains("no JSON object"));
        assert!(failed("echo {").contains("no JSON object"));
    }

    #[test]
    fn values_pass_as_they_are_written() {
        let exact = r#"{"z": 1.10, "a": 12345678901234567890123, "d": 1e400, "t": "\u00e9\/"}"#;
        assert_eq!(completed("cat", exact), exact);
        let deep = format!("{{\"deep\": {}1{}}}", "[".repeat(900), "]".repeat(900));
        assert_eq!(completed("cat", &deep), deep);
    }

    #[test]
    fn exit_code_100_throws_an_error() {
        let command = "echo '{\"errorCode\": \"NO_STOCK\", \"errorMessage\": \"none left\"}'; exit 100";
        let Ending::Error { code, message, variables } = run_with(command, "{}") else { panic!("no error") };
        assert_eq!(
            (code.as_str(), message.as_deref(), variables.get()),
            ("NO_STOCK", Some("none left"), "{}")
        );
        assert!(failed("exit 100").contains("errorCode"));
    }

    #[test]
    fn other_exit_codes_fail_with_what_was_said() {
        assert_eq!(failed("echo out of paper >&2; exit 3"), "out of paper");
        assert_eq!(failed("exit 3"), "the program ended with exit code 3");
        assert_eq!(failed("kill -9 $$"), "the program was killed");
    }
}
