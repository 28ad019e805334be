package dev.shellac.varnishconfig.vcl;

import dev.shellac.varnishconfig.vcl.VclLexer.Kind;
import dev.shellac.varnishconfig.vcl.VclLexer.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A user's VCL, taken apart as far as it must be to stand between ours. */
sealed interface UserPart {
    /**
     * What may stand between ours.
     *
     * @param imports each once, in their order
     * @param rest all other text, line for line where it was
     */
    record Statements(List<Import> imports, String rest) implements UserPart {
        public Statements {
            imports = List.copyOf(imports);
        }
    }

    /**
     * An import, which belongs to the top, and where it stood.
     *
     * @param statement without comments and the semicolon
     * @param written the same, as the user wrote it
     */
    record Import(String statement, String written, int line, int column) {
        /** Whether a column of the statement is as far from its beginning as it is in the user's text. */
        boolean isVerbatim() {
            return statement.equals(written);
        }
    }

    /** Something does not end. Columns are counted as the compiler does. */
    record Fault(int line, int column, String why) implements UserPart {}

    /** Versions whose language is ours. Another one stays where it is, for the compiler to refuse in its own words. */
    Set<String> VERSIONS = Set.of("4.0", "4.1");

    static UserPart of(String text) {
        var tokens = new ArrayList<Token>();
        var open = new ArrayDeque<Token>();
        for (Token token : VclLexer.tokens(text)) {
            if (token.kind() == Kind.UNENDED) {
                return fault(text, token, token.text() + " has no end");
            }
            if (closesNothing(token, open)) {
                return fault(text, token, "} closes nothing");
            }
            tokens.add(token);
        }
        if (!open.isEmpty()) {
            return fault(text, open.getLast(), "{ is not closed");
        }
        // What follows it is ours, and the compiler would name a place there.
        Optional<Token> unended = unended(tokens);
        return unended.isPresent() ? fault(text, unended.get(), "the last statement has no end") : split(text, tokens);
    }

    /** Where a statement begins that neither a semicolon nor a block ends. */
    private static Optional<Token> unended(List<Token> tokens) {
        Optional<Token> first = Optional.empty();
        int depth = 0;
        for (Token token : tokens) {
            depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
            boolean ends = token.is(";") || token.is("}") || token.text().startsWith("C{");
            first = depth == 0 && ends ? Optional.empty() : first.or(() -> Optional.of(token));
        }
        return first;
    }

    private static Fault fault(String text, Token token, String why) {
        return new Fault(token.line(), VclLexer.column(text, token.start()), why);
    }

    private static boolean closesNothing(Token token, Deque<Token> open) {
        if (token.is("{")) {
            open.push(token);
        } else if (token.is("}")) {
            return open.poll() == null;
        }
        return false;
    }

    private static Statements split(String text, List<Token> tokens) {
        var imports = new LinkedHashMap<String, Import>();
        var rest = new StringBuilder(text);
        int depth = 0;
        boolean starts = true;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (starts && depth == 0 && (token.is("import") || token.is("vcl"))) {
                List<Token> statement = statement(tokens.subList(i, tokens.size()));
                if (isOurs(statement)) {
                    if (token.is("import")) {
                        Import found = imported(text, statement);
                        imports.putIfAbsent(found.statement(), found);
                    }
                    blank(rest, token.start(), statement.getLast().end());
                    i += statement.size() - 1;
                    continue;
                }
            }
            depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
            starts = token.is(";") || token.is("}");
        }
        return new Statements(List.copyOf(imports.values()), rest.toString());
    }

    private static Import imported(String text, List<Token> statement) {
        Token first = statement.getFirst();
        return new Import(
                statement.subList(0, statement.size() - 1).stream()
                        .map(Token::text)
                        .collect(Collectors.joining(" ")),
                text.substring(first.start(), statement.getLast().start()),
                first.line(),
                VclLexer.column(text, first.start()));
    }

    /** Up to its semicolon; nothing where a block comes first. */
    private static List<Token> statement(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).is(";")) {
                return tokens.subList(0, i + 1);
            }
            if (tokens.get(i).is("{") || tokens.get(i).is("}")) {
                break;
            }
        }
        return List.of();
    }

    private static boolean isOurs(List<Token> statement) {
        // At the top each has one line, by which the compiler's place is found again.
        if (statement.size() < 3
                || statement.stream().anyMatch(token -> token.text().indexOf('\n') >= 0)) {
            return false;
        }
        return statement.getFirst().is("import")
                || (statement.size() == 3 && VERSIONS.contains(statement.get(1).text()));
    }

    // Spaces, so that the compiler's line and column stay true.
    private static void blank(StringBuilder text, int start, int end) {
        for (int i = start; i < end; i++) {
            if (text.charAt(i) != '\n' && text.charAt(i) != '\r') {
                text.setCharAt(i, ' ');
            }
        }
    }
}
