package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.EvenShare;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;

/**
 * Leaves hosts out of a routing.json that is larger than this pod has memory for. It looks at brackets and quotation marks alone, piece by piece, and
 * keeps nothing but the names of what does not fit: hosts are taken in the order of the file as far as there is room, a smaller one behind a larger one too.
 */
final class HostFilter {
    private static final int MOST_NAMED = 500;
    private static final int MOST_TEXT = 512;
    private static final int HOST = 2;
    private static final int ENTRY = 5;
    // What may stand behind the last host.
    private static final int TAIL = 64;

    /** Which hosts do not fit, by their number in the file; some are known by name, as many of one namespace's routes as of another's. */
    record Choice(int hosts, BitSet out, List<LeftOutHost> named, int length) {
        Choice {
            named = List.copyOf(named);
        }
    }

    /** A route, and a host that it is left out with. */
    private record Left(String host, String route) {}

    /** Takes the file without the hosts that are left out. */
    interface Sink {
        void put(byte b);
    }

    private final int most;
    private final Sink sink;
    private final BitSet out;
    private final EvenShare<Left> named = new EvenShare<>(MOST_NAMED);
    private final byte[] text = new byte[MOST_TEXT];
    private int textLength;
    private final TreeSet<String> routes = new TreeSet<>();
    private int depth;
    private boolean inText;
    private boolean escaped;
    private boolean isVhosts;
    private boolean isRouteName;
    private String last = "";
    private String host = "";
    private int number = -1;
    private int kept;
    private int length;
    private boolean inHost;
    private boolean separate;

    private HostFilter(int most, BitSet out, Sink sink) {
        this.most = most;
        this.out = out;
        this.sink = sink;
    }

    /** What has to be left out, so that no more than that many bytes are left. */
    static Choice choose(byte[] compressed, int most, int unpacked) throws IOException {
        var filter = new HostFilter(most, new BitSet(), b -> {});
        Gzip.unpack(compressed, unpacked, filter::take);
        if (filter.depth != 0 || filter.number < 0 || filter.kept > most) {
            throw new IOException(
                    "it has " + unpacked + " bytes when it is not compressed, this pod has no memory for more than "
                            + most + ", and there are no hosts in it that could be left out");
        }
        return new Choice(filter.number + 1, filter.out, filter.named(), filter.kept);
    }

    /** The file without them. */
    static byte[] filtered(byte[] compressed, Choice choice, int unpacked) throws IOException {
        var bytes = ByteBuffer.allocate(choice.length());
        var filter = new HostFilter(Integer.MAX_VALUE, choice.out(), bytes::put);
        Gzip.unpack(compressed, unpacked, filter::take);
        return bytes.position() == choice.length() ? bytes.array() : Arrays.copyOf(bytes.array(), bytes.position());
    }

    private List<LeftOutHost> named() {
        var hosts = new LinkedHashMap<String, List<String>>();
        named.elements()
                .forEach(left -> hosts.computeIfAbsent(left.host(), name -> new ArrayList<>())
                        .add(left.route()));
        return hosts.entrySet().stream()
                .map(found -> new LeftOutHost(found.getKey(), found.getValue()))
                .toList();
    }

    private void take(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            take(bytes[i]);
        }
    }

    private void take(byte b) {
        boolean begins = isVhosts && depth == HOST && !inHost && !inText && b == '"';
        if (begins) {
            number++;
            inHost = true;
            length = 0;
            routes.clear();
        }
        // Commas between hosts are written anew; spaces of thousands that are left out would add up.
        boolean isBetween = isVhosts && depth == HOST && !inHost && b != '}';
        if (inHost) {
            length++;
            if (begins && separate && !out.get(number)) {
                length++;
                sink.put((byte) ',');
            }
            if (!out.get(number)) {
                sink.put(b);
            }
        } else if (!isBetween) {
            put(b);
        }
        if (inText) {
            text(b);
        } else {
            structure(b);
        }
    }

    private void put(byte b) {
        kept++;
        sink.put(b);
    }

    private void text(byte b) {
        if (escaped) {
            escaped = false;
        } else if (b == '\\') {
            escaped = true;
        } else if (b == '"') {
            inText = false;
            endOfText();
            return;
        }
        if (depth <= ENTRY && textLength < MOST_TEXT) {
            text[textLength++] = b;
        }
    }

    private void endOfText() {
        last = depth <= ENTRY ? new String(text, 0, textLength, UTF_8) : "";
        if (isRouteName && depth == ENTRY) {
            routes.add(last);
            isRouteName = false;
        }
        if (depth == HOST && inHost) {
            host = last;
        }
    }

    private void structure(byte b) {
        switch (b) {
            case '"' -> {
                inText = true;
                textLength = 0;
            }
            case ':' -> isRouteName = depth == ENTRY && last.equals("route_name");
            case '{', '[' -> {
                depth++;
                isVhosts = isVhosts || (depth == HOST && last.equals("vhosts"));
            }
            case '}', ']' -> {
                depth--;
                if (inHost && depth == HOST) {
                    endOfHost();
                }
                isVhosts = isVhosts && depth >= HOST;
            }
            default -> {}
        }
    }

    private void endOfHost() {
        inHost = false;
        if (out.get(number)) {
            return;
        }
        if ((long) kept + length + TAIL > most) {
            out.set(number);
            routes.forEach(route -> named.add(route.split("/", 2)[0], new Left(host, route)));
        } else {
            kept += length;
            separate = true;
        }
    }
}
