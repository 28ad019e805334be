//! `Upgrade` (RFC 9110, 7.8): which requests may become a tunnel, and which answers make them one.
//!
//! Only WebSocket is tunnelled (RFC 6455, 4). The caller knows what headers do not say: version, body, bytes behind the request.

use crate::request::Headers;

const WEBSOCKET: &[u8] = b"websocket";
const UPGRADE: &[u8] = b"upgrade";

/// Whether a request offers to change to WebSocket, perhaps among other protocols.
pub fn offers_websocket(request: &(impl Headers + ?Sized)) -> bool {
    has_token(request, b"connection", UPGRADE) && has_token(request, UPGRADE, WEBSOCKET)
}

/// Whether the answer 101 has changed to WebSocket, and to nothing else.
pub fn accepts_websocket(response: &(impl Headers + ?Sized)) -> bool {
    let mut protocols = response.all(UPGRADE).flat_map(tokens);
    protocols.next().is_some_and(|first| first.eq_ignore_ascii_case(WEBSOCKET)) && protocols.next().is_none()
}

/// A value of `Connection` without the token `upgrade`, behind what `out` holds.
pub fn write_without_upgrade(value: &[u8], out: &mut Vec<u8>) {
    let before = out.len();
    for token in tokens(value).filter(|token| !token.eq_ignore_ascii_case(UPGRADE)) {
        if out.len() > before {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(token);
    }
}

fn has_token(headers: &(impl Headers + ?Sized), name: &[u8], wanted: &[u8]) -> bool {
    headers.all(name).flat_map(tokens).any(|token| token.eq_ignore_ascii_case(wanted))
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&b| b == b',').map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(headers: &[(&str, &str)]) -> Vec<(Vec<u8>, Vec<u8>)> {
        headers.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
    }

    #[test]
    fn an_offer_needs_both_headers() {
        let offers = |headers: &[(&str, &str)]| offers_websocket(&lines(headers));
        assert!(offers(&[("Connection", "Upgrade"), ("Upgrade", "websocket")]));
        assert!(offers(&[("upgrade", "WebSocket"), ("connection", "keep-alive,upgrade")]));
        assert!(offers(&[("Connection", "keep-alive"), ("Connection", " UPGRADE "), ("Upgrade", "h2c, websocket")]));
        assert!(!offers(&[("Upgrade", "websocket")]), "a header that Connection does not name is none");
        assert!(!offers(&[("Connection", "Upgrade")]));
        assert!(!offers(&[("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c")]));
        assert!(!offers(&[("Connection", "Upgrade"), ("Upgrade", "websocket/13")]), "a protocol that nobody has");
        assert!(!offers(&[("Connection", "upgraded"), ("Upgrade", "websocket")]));
    }

    #[test]
    fn an_answer_names_websocket_alone() {
        let accepts = |headers: &[(&str, &str)]| accepts_websocket(&lines(headers));
        assert!(accepts(&[("Upgrade", "websocket")]) && accepts(&[("upgrade", " WebSocket ,")]));
        assert!(!accepts(&[]) && !accepts(&[("Upgrade", "")]));
        assert!(!accepts(&[("Upgrade", "h2c")]));
        assert!(!accepts(&[("Upgrade", "websocket, h2c")]));
        assert!(!accepts(&[("Upgrade", "websocket"), ("Upgrade", "h2c")]));
    }

    #[test]
    fn the_other_tokens_of_connection_stay() {
        let without = |value: &str| {
            let mut out = Vec::new();
            write_without_upgrade(value.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(without("Upgrade"), "");
        assert_eq!(without("keep-alive, Upgrade"), "keep-alive");
        assert_eq!(without("upgrade , HTTP2-Settings,,UPGRADE, close"), "HTTP2-Settings, close");
        assert_eq!(without("x-upgrade"), "x-upgrade");
    }

    proptest! {
        #[test]
        fn what_was_taken_out_is_no_offer(value in "[a-zA-Z, \t-]{0,40}", tail in "(, ?[uU]pgrade)?") {
            let mut rest = Vec::new();
            write_without_upgrade(format!("{value}{tail}").as_bytes(), &mut rest);
            let rest = String::from_utf8(rest).unwrap();
            prop_assert!(!offers_websocket(&lines(&[("Connection", &rest), ("Upgrade", "websocket")])), "{rest}");
            prop_assert!(!rest.starts_with(',') && !rest.ends_with(", "));
        }
    }
}
