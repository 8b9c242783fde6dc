//! One run of a worker's program, and what its end means for the job.

use serde_json::{Map, Value};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The exit code by which a program throws a BPMN error.
const ERROR_EXIT_CODE: i32 = 100;
/// Of standard error, so much becomes the message of an incident.
const MESSAGE_BYTES_MAX: usize = 4_000;

pub(super) struct Program<'a> {
    pub(super) command: &'a str,
}

#[derive(PartialEq, Debug)]
pub(super) enum Ending {
    Complete(Value),
    Error { code: String, message: Option<String>, variables: Value },
    Failed(String),
}

impl Program<'_> {
    pub(super) fn run(&self, job: &Value) -> Ending {
        match self.output(job) {
            Ok(output) => ending(&output),
            Err(error) => Ending::Failed(format!("the program could not be run: {error}")),
        }
    }

    fn output(&self, job: &Value) -> std::io::Result<Output> {
        let text = |member: &str| match &job[member] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(self.command)
            .env("TIDEMILL_JOB_KEY", text("jobKey"))
            .env("TIDEMILL_JOB_TYPE", text("type"))
            .env("TIDEMILL_JOB_RETRIES", text("retries"))
            .env("TIDEMILL_JOB_HEADERS", text("customHeaders"))
            .env("TIDEMILL_ELEMENT_ID", text("elementId"))
            .env("TIDEMILL_PROCESS_ID", text("processDefinitionId"))
            .env("TIDEMILL_PROCESS_INSTANCE_KEY", text("processInstanceKey"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let variables = job["variables"].to_string();
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

fn thrown(stdout: &[u8]) -> Ending {
    let error = object(stdout).unwrap_or_default();
    match error["errorCode"].as_str() {
        Some(code) => Ending::Error {
            code: code.to_owned(),
            message: error["errorMessage"].as_str().map(str::to_owned),
            variables: error.get("variables").cloned().unwrap_or_else(|| Value::Object(Map::new())),
        },
        None => Ending::Failed(format!(
            "the program ended with exit code {ERROR_EXIT_CODE}, but its output has no errorCode"
        )),
    }
}

/// Nothing at all means no variables.
fn object(stdout: &[u8]) -> Result<Value, String> {
    if stdout.trim_ascii().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_slice(stdout) {
        Ok(Value::Object(members)) => Ok(Value::Object(members)),
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
    use serde_json::json;

    fn run(command: &str) -> Ending {
        let job = json!({"jobKey": "7", "type": "add", "retries": 3, "variables": {"a": 1}});
        Program { command }.run(&job)
    }

    #[test]
    fn exit_code_0_completes_with_the_output() {
        assert_eq!(run("cat"), Ending::Complete(json!({"a": 1})));
        assert_eq!(run("true"), Ending::Complete(json!({})));
        assert_eq!(run("echo \"{\\\"key\\\": $TIDEMILL_JOB_KEY}\""), Ending::Complete(json!({"key": 7})));
        assert!(matches!(run("echo 3"), Ending::Failed(_)));
        assert!(matches!(run("echo {"), Ending::Failed(_)));
    }

    #[test]
    fn exit_code_100_throws_an_error() {
        let thrown = run("echo '{\"errorCode\": \"NO_STOCK\", \"errorMessage\": \"none left\"}'; exit 100");
        let expected = Ending::Error {
            code: "NO_STOCK".to_owned(),
            message: Some("none left".to_owned()),
            variables: json!({}),
        };
        assert_eq!(thrown, expected);
        assert!(matches!(run("exit 100"), Ending::Failed(_)));
    }

    #[test]
    fn other_exit_codes_fail_with_what_was_said() {
        assert_eq!(run("echo out of paper >&2; exit 3"), Ending::Failed("out of paper".to_owned()));
        assert_eq!(run("exit 3"), Ending::Failed("the program ended with exit code 3".to_owned()));
        assert_eq!(run("kill -9 $$"), Ending::Failed("the program was killed".to_owned()));
    }
}
