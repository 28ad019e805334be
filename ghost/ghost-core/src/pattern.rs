//! Regular expressions as complete automata.
//!
//! A pattern is determinised when the table is built. Matching is then one table step a byte: no cache, no allocation,
//! nothing per thread (varnishd has thousands), and a cost for each byte that no request can raise. A request does choose how many
//! bytes: how many patterns may go through them is bounded by host (`scans.rs`). The price is paid at load: a pattern
//! whose automaton does not fit the limit is refused. A lazy automaton or an NFA simulation would take such patterns, at
//! the cost of memory per thread and pattern, or of a factor of the pattern's size in the request path.

use std::collections::HashSet;

use regex_automata::dfa::{Automaton, StartKind, dense, sparse};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, Look};

use crate::limits;

/// How much of the value a pattern has to cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// Found anywhere.
    Search,
    /// The whole value.
    Full,
}

impl Coverage {
    fn anchored(self) -> Anchored {
        match self {
            Self::Full => Anchored::Yes,
            Self::Search => Anchored::No,
        }
    }
}

#[derive(Debug)]
pub struct Pattern {
    source: Box<str>,
    coverage: Coverage,
    machine: Machine,
    scans: u32,
}

#[derive(Debug)]
enum Machine {
    Dense(dense::DFA<Vec<u32>>),
    Sparse(sparse::DFA<Vec<u8>>),
}

/// Above this the sparse form is kept where it is several times smaller. It is slower: a state's transitions are gone through.
const DENSE_BYTES: usize = 4 << 10;
const SPARSE_SAVES: usize = 3;
/// What makes a step take as long again as one of a small dense automaton: so many transitions of a sparse state, and so much memory, of which
/// less is in the processor's caches.
const TRANSITIONS_OF_A_STEP: usize = 3;
const BYTES_OF_A_STEP: usize = 32 << 10;

impl Pattern {
    /// Fails with one line that says what is wrong with the pattern.
    pub fn compile(source: &str, coverage: Coverage) -> Result<Self, String> {
        Plan::new(source, coverage)?.determinise().0
    }

    pub fn is_match(&self, value: &[u8]) -> bool {
        #[cfg(test)]
        SCANNED.with(|scanned| scanned.set(scanned.get() + value.len()));
        let input = Input::new(value).anchored(self.coverage.anchored()).earliest(true);
        let found = match &self.machine {
            Machine::Dense(dfa) => dfa.try_search_fwd(&input),
            Machine::Sparse(dfa) => dfa.try_search_fwd(&input),
        };
        // Without Unicode word boundaries there are no bytes an automaton gives up on; an error could only mean "no".
        matches!(found, Ok(Some(_)))
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Of memory.
    pub fn bytes(&self) -> u32 {
        let machine = match &self.machine {
            Machine::Dense(dfa) => dfa.memory_usage(),
            Machine::Sparse(dfa) => dfa.memory_usage(),
        };
        u32::try_from(size_of::<Self>() + self.source.len() + machine).unwrap_or(u32::MAX)
    }

    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// How long matching takes, in the time of a small dense automaton.
    pub(crate) fn scans(&self) -> u32 {
        self.scans
    }
}

/// A pattern that was read but not determinised yet: what remains can be small or large, and is bounded by what is known.
#[derive(Debug)]
pub(crate) struct Plan<'p> {
    source: &'p str,
    coverage: Coverage,
    nfa: thompson::NFA,
}

impl<'p> Plan<'p> {
    pub fn new(source: &'p str, coverage: Coverage) -> Result<Self, String> {
        if source.len() > limits::REGEX_BYTES {
            return Err(format!("regular expression has {} bytes, limit {}", source.len(), limits::REGEX_BYTES));
        }
        let parsed = parse(source)?;
        // Built on the parsed form: wrapping the text in `^(?:…)$` would let a comment or a stray `)` escape the wrapping.
        let hir = match coverage {
            Coverage::Full => Hir::concat(vec![parsed, Hir::look(Look::End)]),
            Coverage::Search => parsed,
        };
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .which_captures(thompson::WhichCaptures::None)
                    .nfa_size_limit(Some(limits::REGEX_NFA_BYTES)),
            )
            .build_from_hir(&hir)
            .map_err(|_| too_large())?;
        Ok(Self { source, coverage, nfa })
    }

    /// The pattern if that takes little work; `None` if more would be needed to tell.
    pub fn if_small(&self) -> Option<Result<Pattern, String>> {
        let affordable = limits::REGEX_WORK_FREE / self.nfa_bytes().max(1);
        let limit = usize::try_from(affordable).unwrap_or(usize::MAX).min(limits::REGEX_AUTOMATON_BYTES);
        match self.automaton(limit) {
            Err(error) if error.is_size_limit_exceeded() => None,
            result => Some(self.finish(result).0),
        }
    }

    /// The pattern, and the work that it took.
    pub fn determinise(&self) -> (Result<Pattern, String>, u64) {
        self.finish(self.automaton(limits::REGEX_AUTOMATON_BYTES))
    }

    fn automaton(&self, limit: usize) -> Result<dense::DFA<Vec<u32>>, Box<dense::BuildError>> {
        let start = match self.coverage {
            Coverage::Full => StartKind::Anchored,
            Coverage::Search => StartKind::Unanchored,
        };
        dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(start)
                    .accelerate(false)
                    .dfa_size_limit(Some(limit))
                    .determinize_size_limit(Some(limits::REGEX_BUILD_BYTES)),
            )
            .build_from_nfa(&self.nfa)
            .map_err(Box::new)
    }

    fn finish(&self, result: Result<dense::DFA<Vec<u32>>, Box<dense::BuildError>>) -> (Result<Pattern, String>, u64) {
        let size = result.as_ref().map_or(limits::REGEX_AUTOMATON_BYTES, dense::DFA::memory_usage);
        let work = self.nfa_bytes().saturating_mul(size as u64).min(limits::REGEX_WORK_MOST);
        let built = match result {
            Ok(dfa) => self.compact(dfa),
            Err(error) if error.is_size_limit_exceeded() => Err(too_large()),
            Err(error) => Err(one_line(&error.to_string())),
        };
        let pattern = built.map(|(machine, scans)| Pattern {
            source: self.source.into(),
            coverage: self.coverage,
            machine,
            scans,
        });
        (pattern, work)
    }

    fn compact(&self, dfa: dense::DFA<Vec<u32>>) -> Result<(Machine, u32), String> {
        let size = dfa.memory_usage();
        let scans = |bytes: usize, more: usize| u32::try_from(1 + bytes / BYTES_OF_A_STEP + more).unwrap_or(u32::MAX);
        if size <= DENSE_BYTES {
            return Ok((Machine::Dense(dfa), scans(size, 0)));
        }
        let sparse = dfa.to_sparse().map_err(|error| one_line(&error.to_string()))?;
        if sparse.memory_usage() > size / SPARSE_SAVES {
            return Ok((Machine::Dense(dfa), scans(size, 0)));
        }
        let more = 1 + most_transitions(&dfa, self.coverage.anchored()) / TRANSITIONS_OF_A_STEP;
        // A clone has no room to grow.
        Ok((Machine::Sparse(sparse.clone()), scans(sparse.memory_usage(), more)))
    }

    fn nfa_bytes(&self) -> u64 {
        self.nfa.memory_usage() as u64
    }
}

/// How many ranges of bytes a state tells apart at most, as the sparse form keeps them.
fn most_transitions(dfa: &dense::DFA<Vec<u32>>, anchored: Anchored) -> usize {
    // A byte of each range that all states take for one.
    let classes = dfa.byte_classes();
    let ranges: Vec<u8> =
        (0..=u8::MAX).filter(|&b| b == 0 || classes.get(b) != classes.get(b.wrapping_sub(1))).collect();
    let Ok(start) = dfa.start_state_forward(&Input::new(b"").anchored(anchored)) else { return ranges.len() };
    let (mut seen, mut open, mut most) = (HashSet::from([start]), vec![start], 0);
    while let Some(state) = open.pop() {
        let mut before = None;
        let mut transitions = 0;
        for next in ranges.iter().map(|&byte| dfa.next_state(state, byte)) {
            transitions += usize::from(before != Some(next) && !dfa.is_dead_state(next));
            before = Some(next);
            if seen.insert(next) {
                open.push(next);
            }
        }
        most = most.max(transitions);
    }
    most
}

fn parse(source: &str) -> Result<Hir, String> {
    regex_syntax::ParserBuilder::new()
        .nest_limit(limits::REGEX_NESTING)
        .unicode(false)
        .utf8(false)
        .build()
        .parse(source)
        .map_err(|error| match error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            other => one_line(&other.to_string()),
        })
}

fn too_large() -> String {
    format!("regular expression needs an automaton of more than {} KiB", limits::REGEX_AUTOMATON_BYTES >> 10)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
thread_local! {
    /// Bytes that patterns went through.
    pub(crate) static SCANNED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(source: &str) -> Pattern {
        Pattern::compile(source, Coverage::Full).unwrap()
    }

    #[test]
    fn full_covers_the_whole_value() {
        assert!(full("/v[0-9]+").is_match(b"/v12"));
        assert!(!full("/v[0-9]+").is_match(b"/v12/x"));
        assert!(!full("/v[0-9]+").is_match(b"x/v12"));
        assert!(full("a|ab").is_match(b"ab"), "the longer alternative counts too");
        assert!(full("a?").is_match(b""));
    }

    #[test]
    fn search_finds_anywhere() {
        let pattern = Pattern::compile("v[0-9]", Coverage::Search).unwrap();
        assert!(pattern.is_match(b"/x/v1/y"));
        assert!(!pattern.is_match(b"/x/vy"));
        assert!(Pattern::compile("^/a$", Coverage::Search).unwrap().is_match(b"/a"));
        assert!(!Pattern::compile("^/a$", Coverage::Search).unwrap().is_match(b"/ab"));
    }

    #[test]
    fn wrapping_cannot_be_escaped() {
        assert!(full("(?x)a # comment").is_match(b"a"));
        assert!(!full("(?x)a # comment").is_match(b"ab"));
        assert!(Pattern::compile("a)|(b", Coverage::Full).is_err());
    }

    #[test]
    fn values_need_not_be_utf8() {
        assert!(full("a.c").is_match(b"a\xffc"));
        assert!(full("[^/]+").is_match(b"\xc3\x28"));
    }

    #[test]
    fn large_automata_become_sparse_and_still_match() {
        let pattern = full("[a-z]{1,60}-[0-9]{1,60}(foo|bar|baz){2,9}");
        assert!(matches!(pattern.machine, Machine::Sparse(_)));
        assert!(pattern.is_match(b"abc-123foobar"));
        assert!(!pattern.is_match(b"abc-123foo"));
    }

    #[test]
    fn small_automata_stay_dense() {
        assert!(matches!(full("/v[0-9]+").machine, Machine::Dense(_)));
    }

    #[test]
    fn what_is_small_is_known_without_paying_for_more() {
        let plan = |source| Plan::new(source, Coverage::Full).unwrap();
        assert!(plan("/v[0-9]+").if_small().unwrap().unwrap().is_match(b"/v1"));
        assert!(plan(r"(?u)\bx").if_small().unwrap().is_err(), "more work would not help");
        assert!(plan("[^/]{1,500}/[^/]{1,500}").if_small().is_none(), "takes a large automaton");
        assert!(plan(".*[ab].{20}").if_small().is_none(), "takes one that is too large");
        let (pattern, work) = plan("[^/]{1,500}/[^/]{1,500}").determinise();
        assert!(pattern.unwrap().is_match(b"a/b"));
        assert!((limits::REGEX_WORK_FREE..limits::REGEX_WORK_MOST).contains(&work), "{work}");
        let (refused, work) = plan(".{0,300}a.{0,300}").determinise();
        assert!(refused.is_err());
        assert_eq!(work, limits::REGEX_WORK_MOST);
    }

    #[test]
    fn a_pattern_knows_what_it_was_made_of() {
        let pattern = full("a+");
        assert_eq!((pattern.source(), pattern.coverage()), ("a+", Coverage::Full));
    }

    #[test]
    fn hostile_patterns_are_refused_with_a_line() {
        for (source, word) in [
            ("(", "unclosed"),
            ("(?=a)", "look-around"),
            (r"(a)\1", "backreferences"),
            (".*[ab].{20}", "automaton"),
            ("a{1000}{1000}", "automaton"),
            (r"(?u)\bx", "word boundar"),
            (&format!("{}a{}", "(".repeat(300), ")".repeat(300)), "nest"),
            (&"a".repeat(1025), "1025 bytes"),
        ] {
            let message = Pattern::compile(source, Coverage::Full).unwrap_err();
            assert!(message.contains(word), "{source}: {message}");
            assert!(!message.contains('\n'));
        }
    }
}
