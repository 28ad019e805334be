//! Runs the shared cases of ghost-core through a varnishd with the VMOD, so that what ghost-core decides is what happens.
//!
//! The replay is the client and all endpoints. Tables are loaded unchanged, so the addresses in them have to be local where it
//! runs (`scripts/test-ghost-cases` sees to that). Each line of each `expected.txt` is checked, or counted with the reason why not.

mod case;
mod draws;
mod endpoints;
mod exchange;
mod log;
mod logged;
mod message;
mod proxy;
mod replay;
mod tally;
mod varnishd;

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ghost_core::Table;

use case::{Case, Request};
use endpoints::Endpoints;
use log::Log;
use replay::{BASE, Bench};
use tally::Tally;
use varnishd::{Setup, Varnishd};

const USAGE: &str = "Usage: replay LABEL VMOD VCL-FOLDER WORK-FOLDER CASE-FOLDER… -- VARNISHD [ARGUMENT]…";

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("replay: {fault}");
            ExitCode::from(2)
        }
    }
}

/// The number of cases that failed.
fn run() -> Result<usize, String> {
    let all: Vec<String> = env::args().skip(1).collect();
    let mut halves = all.splitn(2, |word| word == "--");
    let own = halves.next().unwrap_or_default();
    let command = halves.next().ok_or(USAGE)?.to_vec();
    let [label, vmod, vcl, work, directories @ ..] = own else { return Err(USAGE.into()) };
    let setup = Setup { vmod: vmod.into(), vcl: vcl.into(), work: work.into(), command };
    let cases = directories.iter().map(|directory| Case::read(&PathBuf::from(directory)));
    replay_all(label, &setup, &cases.collect::<Result<Vec<_>, _>>()?)
}

fn replay_all(label: &str, setup: &Setup, cases: &[Case]) -> Result<usize, String> {
    let mut endpoints = Endpoints::default();
    for case in cases {
        if let Ok(built) = Table::build(&case.table, None) {
            built.table.endpoints().iter().try_for_each(|endpoint| endpoints.open(endpoint))?;
        }
    }
    let requests: Vec<_> = cases.iter().flat_map(|case| &case.requests).collect();
    let edges = requests.iter().filter(|r| r.port.is_some() || r.server_name.is_some());
    let edges: BTreeSet<_> = edges.map(|request| request.socket.as_str()).collect();
    let mut names: BTreeSet<_> = requests.iter().map(|request| request.socket.as_str()).collect();
    names.insert("http-80");
    let mut varnishd = Varnishd::start(setup, BASE, &names, &edges)?;
    let log = Log::follow(&varnishd.name())?;
    wait_for_log(&varnishd, &log)?;

    let (mut total, mut failed) = (Tally::default(), 0);
    for case in cases {
        let bench = Bench { varnishd: &varnishd, endpoints: &endpoints, log: &log };
        let tally = bench.replay(case).unwrap_or_else(|fault| Tally { failures: vec![fault], ..Tally::default() });
        total.add(&tally);
        if tally.failures.is_empty() {
            println!("# top TEST {label} case {} passed ({} checks)", case.name, tally.checks);
        } else {
            failed += 1;
            for failure in &tally.failures {
                println!("  {failure}");
            }
            println!("# top TEST {label} case {} FAILED", case.name);
        }
        if !varnishd.is_alive() {
            return Err(format!("varnishd has ended:\n{}", varnishd.said()));
        }
    }
    println!("{label}: {} cases, {failed} failed, {} checks", cases.len(), total.checks);
    for (why, number) in &total.unseen {
        println!("{label}: not checked here, {number} times: {why}");
    }
    // The manager outlives a worker process that panics, and starts another.
    if varnishd.said().contains("Panic") {
        return Err(format!("varnishd panicked:\n{}", varnishd.said()));
    }
    Ok(failed)
}

/// Until records come, requests go by unseen.
fn wait_for_log(varnishd: &Varnishd, log: &Log) -> Result<(), String> {
    let until = Instant::now() + Duration::from_secs(20);
    let request = Request { method: "GET".into(), url: "/".into(), socket: "http-80".into(), ..Request::default() };
    while Instant::now() < until {
        let answer = varnishd.send(&request, &[])?;
        let id = answer.head.get("x-varnish").and_then(|id| id.parse().ok()).unwrap_or_default();
        if log.of(id, Duration::from_millis(200)).is_some() {
            return Ok(());
        }
    }
    Err("varnishlog says nothing".into())
}
