//! Changes a table as JSON. Changes of bytes alone rarely leave anything that can be read, and would test the JSON parser.

use serde_json::Value;

const SCALARS: [&str; 44] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "2",
    "-1",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "1000000",
    "1e3",
    "0.5",
    "500",
    "503",
    "301",
    "\"\"",
    "\"/\"",
    "\"//\"",
    "\"/a/\"",
    "\"/a/b\"",
    "\"*\"",
    "\"*.example.com\"",
    "\"a.\"",
    "\"[::1]\"",
    "\"10.0.0.1\"",
    "\"/run/s\"",
    "\"GET\"",
    "\"Exact\"",
    "\"PathPrefix\"",
    "\"RegularExpression\"",
    "\"full\"",
    "\"hash\"",
    "\"HTTPS\"",
    "\"^/a(b|c)*$\"",
    "\"(\"",
    "\"[^/]{1,500}/[^/]{1,500}\"",
    "\"[a-z]{1,20}\"",
    "\"ReplacePrefixMatch\"",
    "[]",
    "{}",
    "[{}]",
    "[\"web\"]",
];

/// A small generator (xorshift): libFuzzer gives one number for each call.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count.max(1)
    }
}

pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) << 8 | 0x9e37_79b9_0000_0001);
    let input = &data[..size];
    let (before, text) = match input.iter().position(|&b| b == 0) {
        Some(nul) => (Some(&input[..nul]), &input[nul + 1..]),
        None => (None, input),
    };
    let parsed = serde_json::from_slice::<Value>(text);
    let Ok(mut table) = parsed else { return libfuzzer_sys::fuzzer_mutate(data, size, max_size) };
    if dice.below(4) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..=dice.below(4) {
        change(&mut table, &mut dice);
    }
    let text = match dice.below(3) {
        // What it was becomes what was before.
        0 => [text, b"\0", table.to_string().as_bytes()].concat(),
        1 => table.to_string().into_bytes(),
        _ => [before.unwrap_or(text), b"\0", table.to_string().as_bytes()].concat(),
    };
    if text.len() > max_size {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// The node at a position in document order.
fn node<'v>(value: &'v mut Value, at: &mut usize) -> Option<&'v mut Value> {
    if *at == 0 {
        return Some(value);
    }
    *at -= 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let size = count(child);
        if *at < size {
            return node(child, at);
        }
        *at -= size;
    }
    None
}

fn change(table: &mut Value, dice: &mut Dice) {
    let total = count(table);
    let copy = node(table, &mut dice.below(total)).map(|value| value.clone());
    let Some(target) = node(table, &mut dice.below(total)) else { return };
    match (dice.below(6), target) {
        (0, target) => *target = copy.unwrap_or_default(),
        (1, Value::Array(list)) if !list.is_empty() => {
            list.remove(dice.below(list.len()));
        }
        (2, Value::Array(list)) => list.insert(dice.below(list.len() + 1), copy.unwrap_or_default()),
        (3, Value::Array(list)) if list.len() > 1 => {
            let (a, b) = (dice.below(list.len()), dice.below(list.len()));
            list.swap(a, b);
        }
        (1, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(dice.below(map.len())).cloned();
            map.remove(&key.unwrap_or_default());
        }
        (2 | 3, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(dice.below(map.len())).cloned().unwrap_or_default();
            let value = map.remove(&key).unwrap_or_default();
            map.insert(rename(&key, dice), value);
        }
        (4, Value::String(text)) => *text = rename(text, dice),
        (_, target @ (Value::Array(_) | Value::Object(_))) if dice.below(4) > 0 => {
            // Structure is worth more than scalars: keep most of it.
            let _ = target;
        }
        (_, target) => *target = serde_json::from_str(SCALARS[dice.below(SCALARS.len())]).unwrap_or_default(),
    }
}

fn rename(text: &str, dice: &mut Dice) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = dice.below(characters.len() + 1);
    let (start, end) = (characters[..at].iter(), characters[at..].iter());
    let extra = ['a', '/', '.', '*', 'A', '[', '(', '{', '-', ':', '\0', 'é'][dice.below(12)];
    match dice.below(3) {
        0 => start.chain(end.skip(1)).collect(),
        1 => start.copied().chain([extra]).chain(end.copied()).collect(),
        _ => start.chain(end.clone()).chain(end).collect(),
    }
}
