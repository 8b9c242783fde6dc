//! Runs the cases of the DMN Technology Compatibility Kit that need FEEL only, and prints
//! `tck: N passed, M failed` with the list of those that failed.
//!
//! The rule: a case counts if the decision it asks for, and everything that decision requires, is made of
//! literal expressions, contexts, lists, relations, function definitions, invocations, conditionals, filters and
//! iterators, which are read as the FEEL text they stand for. Decision tables, decision services, types with allowed
//! values, imports of other models and functions written in Java or PMML do not count: they need more than FEEL.
//!
//! The kit is looked for in the folder `DMN_TCK_DIR`, else in `../shared/dmn-tck` beside this repository.

mod boxed;
mod cases;
mod compare;
mod model;
mod run;
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Cases that fail, each with its reason: `folder/file#case: reason`.
const KNOWN_FAILURES: &str = include_str!("known_failures.txt");

/// The share of cases that must pass, in percent.
const PASS_RATE_MIN: usize = 97;

fn main() -> ExitCode {
    let Some(folder) = kit_folder() else {
        println!("tck: NOT RUN, the kit was not found; set DMN_TCK_DIR to its folder");
        return ExitCode::SUCCESS;
    };
    let known = known_failures();
    let mut tally = Tally::default();
    for test_file in test_files(&folder) {
        run_file(&test_file, &mut tally);
    }
    let unexpected: Vec<_> = tally.failed.iter().filter(|(id, _)| !known.contains_key(id.as_str())).collect();
    let outdated: Vec<_> = known.keys().filter(|id| tally.passed.contains(&(**id).to_owned())).collect();
    for id in &outdated {
        println!("listed as a known failure, but passes: {id}");
    }
    println!("tck: {} cases need more than FEEL and were left out", tally.left_out);
    for (reason, count) in &tally.reasons {
        println!("  {count:5} {reason}");
    }
    let (passed, failed) = (tally.passed.len(), tally.failed.len());
    println!("tck: {passed} passed, {failed} failed");
    for (id, problem) in &tally.failed {
        let reason =
            known.get(id.as_str()).map_or("NOT LISTED".to_owned(), |reason| format!("known: {reason}"));
        println!("  {id}: {problem} ({reason})");
    }
    let rate_holds = passed * 100 >= PASS_RATE_MIN * (passed + failed);
    let good = unexpected.is_empty() && outdated.is_empty() && rate_holds && passed > 0;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Tally {
    passed: Vec<String>,
    failed: Vec<(String, String)>,
    left_out: usize,
    reasons: BTreeMap<String, usize>,
}

fn kit_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("DMN_TCK_DIR") {
        return Some(PathBuf::from(folder)).filter(|folder| folder.is_dir());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("../shared/dmn-tck")).find(|folder| folder.is_dir())
}

fn known_failures() -> BTreeMap<&'static str, &'static str> {
    let lines = KNOWN_FAILURES.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(|line| line.split_once(": ").expect("a known failure has a reason")).collect()
}

/// Every test file below the folder, in order.
fn test_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the kit can be read") {
            let path = entry.expect("the kit can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(is_test_file) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn is_test_file(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.ends_with(".xml") && name.contains("-test-")
}

fn run_file(path: &Path, tally: &mut Tally) {
    let folder = path.parent().expect("a file lies in a folder");
    let folder_name = folder.file_name().expect("it has a name").to_string_lossy();
    let file_name = path.file_name().expect("it has a name").to_string_lossy();
    let (suite, model) = match read(path, folder) {
        Ok(read) => read,
        Err(problem) => {
            tally.failed.push((format!("{folder_name}/{file_name}"), problem));
            return;
        }
    };
    for case in &suite.cases {
        let id = format!("{folder_name}/{file_name}#{}", case.id);
        match run::run_case(&model, case) {
            run::Verdict::Passed => tally.passed.push(id),
            run::Verdict::Failed(problem) => tally.failed.push((id, problem)),
            run::Verdict::LeftOut(reason) => {
                tally.left_out += 1;
                *tally.reasons.entry(reason).or_default() += 1;
            }
        }
    }
}

fn read(path: &Path, folder: &Path) -> Result<(cases::Suite, model::Model), String> {
    let text =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let suite = cases::Suite::parse(&text(path)?)?;
    let model = model::Model::parse(&text(&folder.join(&suite.model_name))?)?;
    Ok((suite, model))
}
