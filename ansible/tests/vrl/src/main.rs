// SPDX-License-Identifier: Apache-2.0
//! vrl-cases FOLDER: compiles FOLDER/vrl/*.vrl and runs the cases of FOLDER/vrl_tests.yaml on them.
//! One line for each case that comes out otherwise; exit code 1 then.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use vrl::compiler::{Context, Program, TargetValue, TimeZone, compile, state::RuntimeState};
use vrl::value::{Secrets, Value};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("usage: vrl-cases FOLDER");
    let (passed, failed) = run(Path::new(&folder));
    println!("{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(folder: &Path) -> (usize, usize) {
    let text = std::fs::read_to_string(folder.join("vrl_tests.yaml")).expect("vrl_tests.yaml");
    let cases: Vec<serde_json::Value> = serde_yaml_ng::from_str(&text).expect("a list of cases");
    let mut programs = BTreeMap::new();
    let (mut passed, mut failed) = (0, 0);
    for case in &cases {
        let name = case["program"].as_str().expect("program");
        let program = programs.entry(name).or_insert_with(|| compiled(&folder.join("vrl").join(name)));
        let out = outcome(program, &case["in"]);
        if out == case["out"] {
            passed += 1;
        } else {
            failed += 1;
            println!("{name}: {}:\n  got  {out}\n  want {}", case["name"], case["out"]);
        }
    }
    (passed, failed)
}

fn compiled(path: &Path) -> Program {
    let source = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    match compile(&source, &vrl::stdlib::all()) {
        Ok(result) => result.program,
        Err(faults) => {
            let shown = vrl::diagnostic::Formatter::new(&source, faults);
            eprintln!("{}:\n{shown}", path.display());
            std::process::exit(1);
        }
    }
}

/// What the program makes of an event; null when it drops it.
fn outcome(program: &Program, event: &serde_json::Value) -> serde_json::Value {
    let mut value = Value::from(event.clone());
    // Vector's journald source gives a time, where a YAML file has its text.
    if let Some(at) = event.get("timestamp").and_then(|t| t.as_str()) {
        let time = at.parse::<chrono::DateTime<chrono::Utc>>().expect("timestamp");
        value.as_object_mut().expect("an object").insert("timestamp".into(), Value::Timestamp(time));
    }
    let mut target = TargetValue { value, metadata: Value::Object(BTreeMap::new()), secrets: Secrets::new() };
    let mut state = RuntimeState::default();
    let zone = TimeZone::default();
    let mut context = Context::new(&mut target, &mut state, &zone);
    match program.resolve(&mut context) {
        Ok(_) => serde_json::to_value(&target.value).expect("JSON"),
        Err(_) => serde_json::Value::Null,
    }
}
