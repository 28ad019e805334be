//! A strict HTTP load generator and a plain backend, for the benches.
//!
//! Closed loop over kept connections, one thread each. A failed request is a refused, reset or timed-out connection, a
//! malformed answer, a wrong status, header or body length; nothing is tried again. What the generator itself does wrong
//! (out of sockets, out of threads) ends the run with an error, so that it is never counted as the server's.

mod answer;
mod arrive;
mod backend;
mod run;
mod store;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "load", about = "A strict HTTP load generator and a plain backend", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer every request with 200 and a body of fixed size, over kept connections
    Backend(backend::Options),
    /// Write routes into a folder one by one, and measure how long each takes to be served; prints one line of JSON
    Arrive(arrive::Options),
    /// Send requests and check every answer; prints one line of JSON; fails if any request failed
    Run(run::Options),
    /// Fill a cache with objects from an origin of its own, and watch the memory of its processes; fails if they took too much
    Store(store::Options),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Backend(options) => backend::serve(&options).map(|()| true),
        Command::Arrive(options) => arrive::run(&options).map(|report| {
            println!("{}", report.to_json());
            !report.failed()
        }),
        Command::Run(options) => run::run(&options).map(|report| {
            println!("{}", report.to_json());
            report.failed == 0
        }),
        Command::Store(options) => store::run(&options),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::from(2)
        }
    }
}
