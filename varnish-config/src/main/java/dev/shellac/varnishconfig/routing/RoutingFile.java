package dev.shellac.varnishconfig.routing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Hostname;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.varnishconfig.wire.Chunk;
import java.nio.ByteBuffer;

/**
 * The text of routing.json. It is kept in parts, which files share: a changed file is a few new parts, and only who wants the
 * bytes makes them.
 */
public final class RoutingFile {
    private static final Chunk FIRST = Chunk.of("\n    ");
    private static final Chunk NEXT = Chunk.of(",\n    ");
    private static final Chunk AFTER_HOSTS = Chunk.of("\n  ");
    private static final Chunk END = Chunk.of("}\n}\n");

    private final Chunk head;
    private final SharedMap<Hostname, HostText> hosts;

    RoutingFile(Chunk head, SharedMap<Hostname, HostText> hosts) {
        this.head = head;
        this.hosts = hosts;
    }

    /** Takes the parts of the file, one after the other. */
    interface Sink {
        void put(Chunk chunk);

        void put(int number);
    }

    /** How many bytes it has: as much work as to copy it, without the copy. */
    public int length() {
        var counter = new Counter();
        copyTo(counter);
        return counter.length;
    }

    /** Writes the whole text, {@link #length} bytes. */
    public void copyTo(ByteBuffer target) {
        copyTo(new Copy(target));
    }

    public String text() {
        var target = ByteBuffer.allocate(length());
        copyTo(target);
        return new String(target.array(), UTF_8);
    }

    private void copyTo(Sink sink) {
        sink.put(head);
        var members = new Object() {
            private Chunk between = FIRST;
        };
        hosts.forEach((name, host) -> {
            sink.put(members.between);
            host.copyTo(sink);
            members.between = NEXT;
        });
        if (!hosts.isEmpty()) {
            sink.put(AFTER_HOSTS);
        }
        sink.put(END);
    }

    private static final class Counter implements Sink {
        private int length;

        @Override
        public void put(Chunk chunk) {
            length += chunk.length();
        }

        @Override
        public void put(int number) {
            int digits = 1;
            for (int rest = number; rest > 9; rest /= 10) {
                digits++;
            }
            length += digits;
        }
    }

    private record Copy(ByteBuffer target) implements Sink {
        @Override
        public void put(Chunk chunk) {
            chunk.copyTo(target);
        }

        @Override
        public void put(int number) {
            int digits = 1;
            for (int rest = number; rest > 9; rest /= 10) {
                digits *= 10;
            }
            for (int place = digits; place > 0; place /= 10) {
                target.put((byte) ('0' + number / place % 10));
            }
        }
    }
}
