//! Replays what the fuzzers found worth keeping, so that it is checked with a stable compiler and in every run.
//! `scripts/fuzz-ghost` extends the corpus; the targets are in `ghost/fuzz`.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

#[path = "support/checks.rs"]
mod checks;
#[path = "support/normal.rs"]
mod normal;
#[path = "support/oracle.rs"]
mod oracle;
mod support;

use std::fs;
use std::path::Path;

fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut inputs: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect();
    inputs.sort();
    assert!(inputs.len() > 20, "{target}: {} inputs", inputs.len());
    inputs
}

#[test]
fn tables_of_the_corpus_are_the_same_whatever_was_before() {
    for (name, input) in corpus("table") {
        println!("{name}");
        checks::check_table(&input);
    }
}

#[test]
fn requests_of_the_corpus_get_the_answer_of_a_plain_scan() {
    let subjects = checks::subjects();
    for (name, input) in corpus("request") {
        println!("{name}");
        checks::check_request(&subjects, &input);
    }
}

#[test]
fn paths_of_the_corpus_have_the_form_of_a_plain_rewriting() {
    for (name, input) in corpus("path") {
        println!("{name}");
        checks::check_path(&input);
    }
}

#[test]
fn heads_of_the_corpus_offer_what_a_plain_reading_finds() {
    for (name, input) in corpus("upgrade") {
        println!("{name}");
        checks::check_upgrade(&input);
    }
}

#[test]
fn requests_of_the_cases_get_the_answer_of_a_plain_scan() {
    let subjects = checks::subjects();
    assert!(subjects.len() > 70 && subjects.len() < 256, "one byte chooses among {}", subjects.len());
    for (number, subject) in (0..).zip(&subjects) {
        for request in &subject.requests {
            checks::check_request(&subjects, &checks::encode_request(number, request));
        }
    }
}

#[test]
fn tables_of_the_cases_are_the_same_whatever_was_before() {
    let tables: Vec<_> = checks::case_tables().into_iter().map(|(_, table, _)| table.to_string()).collect();
    for pair in tables.windows(2) {
        checks::check_table(pair.join("\0").as_bytes());
    }
}

/// Rewrites the inputs that come from the cases; run by `scripts/fuzz-ghost` before it fuzzes.
#[test]
#[ignore = "writes into the checkout"]
fn seed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    let seeds =
        [("table", table_seeds()), ("request", request_seeds()), ("path", path_seeds()), ("upgrade", upgrade_seeds())];
    for (target, inputs) in seeds {
        fs::create_dir_all(folder.join(target)).unwrap();
        for (name, input) in inputs {
            fs::write(folder.join(target).join(name), input).unwrap();
        }
    }
}

fn table_seeds() -> Vec<(String, Vec<u8>)> {
    checks::case_tables().into_iter().map(|(name, table, _)| (name, table.to_string().into_bytes())).collect()
}

fn upgrade_seeds() -> Vec<(String, Vec<u8>)> {
    let heads = [
        "Connection:Upgrade\nUpgrade:websocket",
        "connection: keep-alive, UPGRADE\nUpgrade: h2c, WebSocket",
        "Connection:Upgrade, HTTP2-Settings\nUpgrade:h2c\nHTTP2-Settings:AAMAAABkAAQ",
        "Connection:close\nConnection:upgrade\nUpgrade:websocket/13\nUpgrade:websocket",
    ];
    heads.iter().enumerate().map(|(number, head)| (number.to_string(), head.as_bytes().to_vec())).collect()
}

fn path_seeds() -> Vec<(String, Vec<u8>)> {
    let urls = |subject: checks::Subject| {
        let named =
            move |(n, request): (usize, &support::OwnedRequest)| (format!("{}-{n}", subject.name), request.url.clone());
        subject.requests.iter().enumerate().map(named).collect::<Vec<_>>()
    };
    checks::subjects().into_iter().flat_map(urls).collect()
}

fn request_seeds() -> Vec<(String, Vec<u8>)> {
    let seeds = |(number, subject): (u8, checks::Subject)| {
        let requests: Vec<_> = subject.requests.iter().map(|request| checks::encode_request(number, request)).collect();
        requests.into_iter().enumerate().map(move |(n, input)| (format!("{}-{n}", subject.name), input))
    };
    (0..).zip(checks::subjects()).flat_map(seeds).collect()
}
