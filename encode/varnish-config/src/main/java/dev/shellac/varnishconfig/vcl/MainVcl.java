package dev.shellac.varnishconfig.vcl;

import dev.shellac.model.Network;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.resolve.UserVcl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The VCL of a gateway: our preamble, the user's part, our postamble. VCL joins subroutines of the same name in this order, so
 * nothing of the user's text is changed but its {@code vcl} and {@code import} statements, which belong to the top.
 */
public sealed interface MainVcl {
    /** Ready for the compiler. */
    record Text(String vcl) implements MainVcl {}

    /**
     * The user's part has no end, and what follows would become part of it.
     *
     * @param line of the user's part, from 1
     * @param column likewise, as the compiler counts
     */
    record Refused(int line, int column, String why) implements MainVcl {}

    /** The list of networks whose X-Forwarded headers are believed; there where there is one. */
    String TRUSTED = "trusted_proxies";

    /** The list of networks from which the PROXY protocol is accepted; there where there is one. */
    String PROXIES = "proxy_protocol_peers";

    /** What the preamble imports by itself. */
    Set<String> OWN_IMPORTS = Set.of("import ghost", "import proxy", "import std", "import xkey");

    /** Ours and the user's, where nothing is said about clients. */
    static MainVcl merge(String ghostJson, Optional<UserVcl> user) {
        return merge(ghostJson, Clients.USUAL, user);
    }

    /**
     * Ours and the user's.
     *
     * @param ghostJson the path of the table, as varnishd sees it
     * @param clients whose word counts about clients, and what is accepted from them
     */
    static MainVcl merge(String ghostJson, Clients clients, Optional<UserVcl> user) {
        Optional<UserVcl> written = user.filter(part -> !part.text().isBlank());
        if (written.isEmpty()) {
            return new Text(top(ghostJson, clients, List.of()) + GatewayVcl.PREAMBLE + "\n" + GatewayVcl.POSTAMBLE);
        }
        UserVcl part = written.get();
        return switch (UserPart.of(part.text())) {
            case UserPart.Fault fault -> new Refused(fault.line(), fault.column(), fault.why());
            case UserPart.Statements statements -> {
                String before = top(ghostJson, clients, statements.imports()) + GatewayVcl.PREAMBLE + "\n"
                        + GatewayVcl.TELLING + "\n" + UserVclPlace.BEGIN + origin(part) + "\n";
                String after = "\n" + UserVclPlace.END + "\n\n" + GatewayVcl.POSTAMBLE;
                yield new Text(before + statements.rest() + after);
            }
        };
    }

    private static String top(String ghostJson, Clients clients, List<UserPart.Import> imports) {
        List<Network> trusted = clients.trustedProxies();
        String hoisted = imports.stream()
                .filter(found -> !OWN_IMPORTS.contains(found.statement()))
                .map(found -> UserVclPlace.before(found) + "\n" + found.statement() + ";\n")
                .collect(Collectors.joining());
        return "vcl 4.1;\n\nimport ghost;\n" + hoisted + "\nbackend dummy none;\n\n" + acl(TRUSTED, trusted)
                + acl(PROXIES, clients.proxyProtocolFrom())
                + "sub vcl_init {\n\tghost.init(" + quoted(ghostJson)
                + ");\n\tnew router = ghost.ghost_backend();\n\trouter.forward("
                + (trusted.isEmpty() ? "" : "trusted = " + TRUSTED) + ");\n" + accept(clients) + "}\n\n";
    }

    // Nothing where all is as the router has it by itself.
    private static String accept(Clients clients) {
        var words = new ArrayList<String>();
        if (!clients.proxyProtocolFrom().isEmpty()) {
            words.add("proxies = " + PROXIES);
        }
        if (clients.mergeSlashes() == Use.OFF) {
            words.add("merge_slashes = false");
        }
        return words.isEmpty() ? "" : "\trouter.accept(" + String.join(", ", words) + ");\n";
    }

    // An address of which more is said than counts is the user's way to write a network.
    private static String acl(String name, List<Network> networks) {
        return networks.isEmpty()
                ? ""
                : networks.stream()
                        .map(network -> "\t\"" + network.address() + "\"/" + network.bits() + ";\n")
                        .distinct()
                        .collect(Collectors.joining("", "acl " + name + " -pedantic {\n", "}\n\n"));
    }

    // A VCL string has no escapes: it ends at the next quote or at the end of the line.
    private static String quoted(String path) {
        if (path.isEmpty() || path.chars().anyMatch(c -> c == '"' || Character.isISOControl(c))) {
            throw new IllegalArgumentException("a path that VCL cannot quote: " + path);
        }
        return '"' + path + '"';
    }

    // In a comment, which a line break would end.
    private static String origin(UserVcl part) {
        return ("ConfigMap " + part.configMap() + ", key " + part.key())
                .codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
