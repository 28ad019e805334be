package dev.shellac.explain.request;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A request.
 *
 * @param socket name of the socket that it came in on
 * @param port the port that the edge says the client connected to
 * @param serverName the TLS server name that the edge says the client asked for
 * @param target path and query
 */
public record Request(
        String socket,
        Optional<Integer> port,
        Optional<String> serverName,
        String method,
        String target,
        List<Header> headers) {
    /** One line of the header. */
    public record Header(String name, String value) {}

    public Request {
        headers = List.copyOf(headers);
    }

    public Url url() {
        return Url.split(target);
    }

    /** Every value of a header, without white space around it. */
    public Stream<String> all(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(header -> header.value().trim());
    }

    public Optional<String> first(String name) {
        return all(name).findFirst();
    }

    public Optional<HostName> host() {
        return first("host").flatMap(HostName::parse);
    }

    /** The method that a CORS preflight asks for; nothing if this is no preflight. */
    public Optional<String> preflightMethod() {
        return method.equals("OPTIONS") && first("origin").isPresent()
                ? first("access-control-request-method")
                : Optional.empty();
    }
}
