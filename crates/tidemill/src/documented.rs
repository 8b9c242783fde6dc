//! Compares what the documents say of options with the program: every option and variable that is written about exists, with
//! the default that is written there.

use clap::{Command, CommandFactory};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tidemill_store_postgres::Options;

/// Lines that run other programs have options of their own.
const OTHER_PROGRAMS: [&str; 10] = [
    "cargo ",
    "curl ",
    "npm ",
    "npx ",
    "pip ",
    "pg_dump ",
    "pg_restore ",
    "psql ",
    "redis-cli ",
    "valgrind ",
];
/// Options of other programs that stand in the text.
const OF_OTHERS: [&str; 2] = ["--example", "--trace"];
/// Variables of the tests.
const OF_TESTS: [&str; 4] =
    ["TIDEMILL_RANDOM_CASES", "TIDEMILL_RANDOM_MODELS", "TIDEMILL_RANDOM_SEED", "TIDEMILL_TEST_POSTGRES"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<(PathBuf, String)> {
    let mut paths = vec![root().join("README.md")];
    let listed = |folder: PathBuf| {
        std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path())
    };
    paths.extend(
        listed(root().join("docs")).filter(|path| path.extension().is_some_and(|ending| ending == "md")),
    );
    paths.extend(
        listed(root().join("crates")).map(|path| path.join("README.md")).filter(|path| path.exists()),
    );
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn collect(command: &Command, options: &mut BTreeSet<String>, variables: &mut BTreeSet<String>) {
    for argument in command.get_arguments() {
        options.extend(argument.get_long().map(|name| format!("--{name}")));
        variables.extend(argument.get_env().map(|name| name.to_string_lossy().into_owned()));
    }
    command.get_subcommands().for_each(|command| collect(command, options, variables));
}

/// Words of a text that begin in this way.
fn words<'a>(text: &'a str, beginning: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.split(move |c: char| !is_part(c)).filter(move |word| {
        word.strip_prefix(beginning).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

#[test]
fn every_option_and_variable_that_is_written_about_exists() {
    let mut command = crate::Cli::command();
    command.build();
    let (mut options, mut variables) = (BTreeSet::from(["--help".to_owned()]), BTreeSet::new());
    collect(&command, &mut options, &mut variables);
    for (path, text) in documents() {
        let is_ours = |line: &&str| !OTHER_PROGRAMS.iter().any(|program| line.contains(program));
        for option in text.lines().filter(is_ours).flat_map(|line| words(line, "--")) {
            let is_known = options.contains(option) || OF_OTHERS.contains(&option);
            assert!(is_known, "{}: there is no option {option}", path.display());
        }
        for variable in words(&text, "TIDEMILL_") {
            let is_known = variables.contains(variable) || OF_TESTS.contains(&variable);
            assert!(is_known, "{}: there is no variable {variable}", path.display());
        }
    }
}

/// The option and its default in each row of the table of options.
fn rows(text: &str) -> Vec<(String, String)> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `--"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[0].trim_end_matches('`').to_owned(), cells[1].to_owned())).collect()
}

#[test]
fn options_of_the_store_have_the_documented_defaults() {
    let readme = std::fs::read_to_string(root().join("crates/store-postgres/README.md")).expect("readable");
    let redis = std::fs::read_to_string(root().join("docs/redis.md")).expect("readable");
    let rows = [rows(&readme), rows(&redis)].concat();
    assert!(rows.len() >= 9, "the tables are there: {rows:?}");
    let command = crate::Cli::command();
    let serve = command.find_subcommand("serve").expect("a command");
    for (option, default) in &rows {
        let argument = serve.get_arguments().find(|argument| argument.get_long() == Some(option));
        let help = argument.unwrap_or_else(|| panic!("serve has no option --{option}")).get_help();
        let help = help.map(ToString::to_string).unwrap_or_default().replace('\n', " ");
        assert!(help.contains(&format!("[default: {default}]")), "--{option}: '{default}' is not in: {help}");
    }
    let default = |option: &str| rows.iter().find(|(name, _)| name == option).map(|(_, value)| value.clone());
    let options = Options::new("");
    assert_eq!(default("schema"), Some(options.schema));
    assert_eq!(default("write-connections"), Some(options.write_connections.to_string()));
    assert_eq!(default("load-connections"), Some(options.load_connections.to_string()));
    assert_eq!(default("search-connections"), Some(options.search_connections.to_string()));
    assert_eq!(default("search-limit"), Some(format!("{}s", options.search_limit_ms / 1_000)));
    assert_eq!(default("follow-window-ms"), Some(options.follow_window_ms.to_string()));
    let embedded = tidemill_store_sqlite::Options::new("x");
    assert_eq!(embedded.search_limit_ms, options.search_limit_ms, "one option for all stores");
    let redis =
        tidemill_store_redis::Options::new("redis://h", tidemill_model::PartitionCount::ONE).expect("valid");
    assert_eq!(redis.search_limit_ms, options.search_limit_ms, "one option for all stores");
}
