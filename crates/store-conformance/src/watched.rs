//! Programs that end with the process that started them.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs the server, waits for a word and then ends it. Without a word its starter is gone, and the data with
/// it. A process that is killed cannot end its children, so they are killed too; a process is gone when it
/// has no command line any more.
const WATCH: &str = r#"directory=$1; shift
"$@" >>"$directory/log" 2>&1 &
server=$!
if read -r signal; then
  children=
  if [ "$signal" = KILL ]; then children=$(cat /proc/$server/task/$server/children); fi
  kill -s "$signal" $server $children
  wait $server
  for child in $children; do while grep -q . /proc/$child/cmdline 2>/dev/null; do sleep 0.01; done; done
else kill -s INT $server; wait $server; rm -rf "$directory"; fi"#;

pub(crate) struct Watched(Child);

impl Watched {
    pub(crate) fn start(directory: &Path, program: &Command) -> Watched {
        let mut watcher = Command::new("sh");
        watcher.args(["-c", WATCH, "sh"]).arg(directory);
        watcher.arg(program.get_program()).args(program.get_args());
        let child = watcher.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Watched(child.expect("sh starts"))
    }

    /// Returns when it is gone.
    pub(crate) fn end(mut self, signal: &str) {
        let mut words = self.0.stdin.take().expect("piped");
        writeln!(words, "{signal}").expect("the watcher reads");
        self.0.wait().expect("the watcher ends");
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}
