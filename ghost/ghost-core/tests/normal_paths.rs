//! The paths on which the operator, which orders routes by them, and ghost have to agree. `NormalPathTest` in Java reads the same file.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use ghost_core::{BadPath, Slashes, write_normal_url};

const TABLE: &str = include_str!("normal-paths.txt");

fn normal(path: &str, slashes: Slashes) -> Result<String, &'static str> {
    let mut out = Vec::new();
    match write_normal_url(path.as_bytes(), slashes, &mut out) {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(BadPath(why)) => Err(why),
    }
}

#[test]
fn each_path_has_the_form_that_the_operator_orders_it_by() {
    for line in TABLE.lines() {
        let (path, expected) = line
            .split_once(" -> ")
            .map(|(path, form)| (path, Ok(form)))
            .or_else(|| line.split_once(" refused: ").map(|(path, why)| (path, Err(why))))
            .unwrap();
        // Routes have no two slashes in a row, so what a Gateway does with them changes nothing.
        for slashes in [Slashes::Merge, Slashes::Keep] {
            assert_eq!(normal(path, slashes).as_deref().map_err(|why| *why), expected, "{path}");
        }
    }
    assert!(TABLE.lines().count() > 60);
}
