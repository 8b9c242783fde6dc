//! The programs of Postgres, and the user that they run as.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names the folder with the programs of the server to test on, where it is not the installed one.
const CHOSEN: &str = "TIDEMILL_TEST_POSTGRES";

/// Owned by the user that the programs run as.
pub(super) fn fresh_directory(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let directory = data_home().join(format!("{name}-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the data");
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o700)).expect("ours");
    if is_root() {
        run(Command::new("chown").arg("postgres:").arg(&directory));
    }
    directory
}

/// Of the server that was chosen, or else of the newest version that is installed. A server that is packed alone brings
/// no programs for its clients: those that are installed talk to any version.
pub fn program(name: &str) -> PathBuf {
    let Some(chosen) = std::env::var_os(CHOSEN).map(PathBuf::from) else { return installed(name) };
    let program = chosen.join(name);
    match program.exists() {
        true => program,
        false => {
            let is_of_server = ["initdb", "postgres"].contains(&name);
            assert!(!is_of_server, "{CHOSEN} must be the whole path of a folder with initdb and postgres");
            installed(name)
        }
    }
}

fn installed(name: &str) -> PathBuf {
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").expect("the Debian package postgresql is installed");
    let newest = versions.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok()).max();
    let newest = newest.expect("a version of Postgres");
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin/{name}"))
}

/// The number before the first dot of what `--version` tells.
pub(super) fn major_version(name: &str) -> u32 {
    let told = Command::new(program(name)).arg("--version").output().expect("starts");
    let told = String::from_utf8(told.stdout).expect("a text");
    let words = told.split_whitespace();
    let mut versions = words.filter_map(|word| word.split('.').next()?.parse().ok());
    versions.next().unwrap_or_else(|| panic!("no version in '{told}'"))
}

/// Postgres does not run as root.
pub(super) fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command.current_dir("/");
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
}

/// In the build directory, unless the user that Postgres runs as cannot get there.
fn data_home() -> PathBuf {
    let binary = std::env::current_exe().expect("a test is a program");
    let target = binary.ancestors().find(|path| path.ends_with("target")).map(|path| path.join("tmp"));
    target.filter(|path| can_reach(path)).unwrap_or_else(std::env::temp_dir)
}

fn can_reach(path: &Path) -> bool {
    let _ = std::fs::create_dir_all(path);
    as_user(Path::new("test")).arg("-x").arg(path).status().is_ok_and(|status| status.success())
}

pub(super) fn run(command: &mut Command) {
    let output = command.output().expect("starts");
    assert!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
