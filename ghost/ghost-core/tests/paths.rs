//! Random paths: any bytes have the form that a plain rewriting gives them or none, and all spellings of a path have one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]

#[path = "support/checks.rs"]
mod checks;
#[path = "support/normal.rs"]
mod normal;
#[path = "support/oracle.rs"]
mod oracle;
mod support;

use ghost_core::{Slashes, write_normal_url};
use proptest::prelude::*;

/// Mostly what the rules are about.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "/", "/", ".", "..", "/../", "/./", "a", "B~", "%2e", "%2E", "%2f", "%2F", "%5c", "%5C", "%61", "%7e", "%C3%a9",
            "%25", "%", "%0", "%00", ";", ";v=1", "?", "#", "\\", "é", "{", ":", "@", "*", "http://h",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| [b"/".to_vec(), pieces.concat()].concat())
}

/// A segment in normal form that is no dot segment.
fn segment() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "admin", "x.y", "...", "~u", "caf%C3%A9", "a%2Fb", "b%5Cc", "v;w=1", "%25", "-_"])
        .prop_map(ToOwned::to_owned)
}

/// Another spelling of a path, one choice for each place.
fn respell(path: &str, choices: &[u8]) -> String {
    let mut out = String::new();
    let mut choices = choices.iter().copied().cycle();
    let mut escape = 0;
    for letter in path.chars() {
        let choice = choices.next().unwrap();
        if letter == '%' {
            escape = 3;
        }
        match letter {
            '/' => out += ["/", "//", "/./", "/%2e/", "/x/../", "/x/%2E./", "/x//../", "/"][usize::from(choice % 8)],
            _ if escape > 0 && choice % 2 == 0 => out.extend(letter.to_lowercase()),
            _ if escape > 0 => out.push(letter),
            _ if (letter.is_ascii_alphanumeric() || "-._~".contains(letter)) && choice % 3 == 0 => {
                let digits = format!("%{:02x}", letter as u8);
                out += &if choice % 2 == 0 { digits } else { digits.to_uppercase() };
            }
            _ => out.push(letter),
        }
        escape = (escape - 1).max(0);
    }
    out
}

fn normal(url: &str) -> Option<String> {
    let mut out = Vec::new();
    write_normal_url(url.as_bytes(), Slashes::Merge, &mut out).ok()?;
    String::from_utf8(out).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_the_form_of_a_plain_rewriting(url in pieces()) {
        checks::check_path(&url);
    }

    #[test]
    fn all_spellings_of_a_path_have_one_form(
        segments in prop::collection::vec(segment(), 0..5), slash: bool, choices in prop::collection::vec(any::<u8>(), 1..40),
        query in "(\\?[a-z%/.=&#]{0,8})?",
    ) {
        let end = if slash || segments.is_empty() { "/" } else { "" };
        let path: String = segments.iter().flat_map(|segment| ["/", segment]).chain([end]).collect();
        let spelled = format!("{}{query}", respell(&path, &choices));
        prop_assert_eq!(normal(&spelled), Some(format!("{path}{query}")), "{}", spelled);
    }
}
