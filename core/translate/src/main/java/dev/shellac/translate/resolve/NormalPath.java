package dev.shellac.translate.resolve;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The one form of a path that the data plane matches, by the rules of {@code path.rs} in ghost-core: unreserved octets decoded, what no path may hold encoded,
 * escapes in upper case, dot segments removed. Whoever compares or measures paths before that would be led by spellings: {@code /%61%70%69} is no longer than
 * {@code /api}. Both have to agree on {@code normal-paths.txt}.
 *
 * <p>What the data plane does with several slashes in a row says nothing here: no route may have them.
 */
public final class NormalPath {
    private static final int MOST_BYTES = 1024;
    private static final String ALSO_PLAIN = "-._~!$&'()*+,;=:@";
    private static final String UNRESERVED = "-._~";

    private final byte[] path;
    private final StringBuilder out = new StringBuilder();
    private Optional<String> fault = Optional.empty();

    private NormalPath(String path) {
        this.path = path.getBytes(StandardCharsets.UTF_8);
        write();
    }

    /** The match with its path in normal form; as it is where there is none. */
    public static Match of(Match match) {
        PathMatch path = of(match.path());
        return path.equals(match.path())
                ? match
                : new Match(path, match.headers(), match.queryParams(), match.method());
    }

    /** The path in normal form; as it is where there is none. */
    public static PathMatch of(PathMatch path) {
        return switch (path) {
            case PathMatch.Exact exact -> new PathMatch.Exact(text(exact.path()));
            case PathMatch.Prefix prefix -> new PathMatch.Prefix(text(prefix.path()));
            case PathMatch.Pattern pattern -> pattern;
        };
    }

    private static String text(String path) {
        var normal = new NormalPath(path);
        return normal.fault.isPresent() ? path : normal.out.toString();
    }

    /** Why a path has no normal form, so that it matches no request. */
    public static Optional<String> fault(PathMatch path) {
        return switch (path) {
            case PathMatch.Exact exact -> new NormalPath(exact.path()).fault;
            case PathMatch.Prefix prefix -> new NormalPath(prefix.path()).fault;
            case PathMatch.Pattern pattern -> Optional.empty();
        };
    }

    private void refuse(String why) {
        fault = fault.or(() -> Optional.of(why));
    }

    private void write() {
        if (path.length == 0 || path[0] != '/') {
            refuse("the path does not begin with a slash");
            return;
        }
        int start = 1;
        boolean endsWithSlash = false;
        while (start <= path.length && fault.isEmpty()) {
            int end = endOfSegment(start);
            int before = out.length();
            out.append('/');
            segment(start, end);
            endsWithSlash = isDot(before) || isParent(before);
            if (end == start && end < path.length) {
                refuse("the path has two slashes in a row");
            }
            start = end + 1;
        }
        if (endsWithSlash) {
            out.append('/');
        }
        if (out.length() > MOST_BYTES) {
            refuse("the path is longer than " + MOST_BYTES + " bytes");
        }
    }

    private int endOfSegment(int start) {
        int end = start;
        while (end < path.length && path[end] != '/') {
            end++;
        }
        return end;
    }

    private boolean isDot(int before) {
        boolean found = out.substring(before).equals("/.");
        if (found) {
            out.setLength(before);
        }
        return found;
    }

    private boolean isParent(int before) {
        boolean found = out.substring(before).equals("/..");
        if (found && before == 0) {
            refuse("the path leads above the root");
        } else if (found) {
            out.setLength(out.lastIndexOf("/", before - 1));
        }
        return found;
    }

    private void segment(int start, int end) {
        // Where a part begins that some backend may take for a segment.
        int part = out.length();
        boolean separated = false;
        for (int i = start; i < end; i++) {
            int octet = Byte.toUnsignedInt(path[i]);
            if (octet != '%') {
                plain(octet);
                continue;
            }
            int value = escaped(i, end);
            i += 2;
            if (value < 0) {
                refuse("the path has a % without two hexadecimal digits");
            } else if (value == 0) {
                refuse("the path has %00");
            } else if (isUnreserved(value)) {
                out.append((char) value);
            } else if (value == '/' || value == '\\') {
                checkPart(part);
                separated = true;
                encode(value);
                part = out.length();
            } else {
                encode(value);
            }
        }
        if (separated || out.indexOf(";", part) >= 0) {
            checkPart(part);
        }
    }

    private void plain(int octet) {
        if (isLetterOrDigit(octet) || ALSO_PLAIN.indexOf(octet) >= 0) {
            out.append((char) octet);
        } else if (octet == '\\') {
            refuse("the path has a backslash");
        } else if (octet == '#') {
            refuse("the path has a fragment");
        } else if (octet <= ' ' || octet == 127) {
            refuse("the path has a space or a control character");
        } else {
            encode(octet);
        }
    }

    // Refuses what is a dot segment for a backend that decodes slashes, or that cuts parameters off segments.
    private void checkPart(int part) {
        String name = out.substring(part).split(";", 2)[0];
        if (name.equals(".") || name.equals("..")) {
            refuse("the path has a dot segment beside an encoded slash, an encoded backslash or a parameter");
        }
    }

    /** The octet that an escape stands for; less than 0 where it is none. */
    private int escaped(int at, int end) {
        return at + 2 < end ? digit(path[at + 1]) << 4 | digit(path[at + 2]) : -1;
    }

    private static int digit(byte digit) {
        return Character.digit(Byte.toUnsignedInt(digit), 16);
    }

    private void encode(int octet) {
        out.append('%')
                .append(Character.toUpperCase(Character.forDigit(octet >> 4, 16)))
                .append(Character.toUpperCase(Character.forDigit(octet & 15, 16)));
    }

    private static boolean isUnreserved(int octet) {
        return isLetterOrDigit(octet) || UNRESERVED.indexOf(octet) >= 0;
    }

    private static boolean isLetterOrDigit(int octet) {
        return octet < 128 && Character.isLetterOrDigit(octet);
    }
}
