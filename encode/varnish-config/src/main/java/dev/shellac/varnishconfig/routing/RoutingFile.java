package dev.shellac.varnishconfig.routing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The text of routing.json. It is kept in parts, which files share: a changed file is a few new parts, and only who wants the
 * bytes makes them.
 */
public final class RoutingFile {
    private static final Chunk FIRST = Chunk.of("\n    ");
    private static final Chunk NEXT = Chunk.of(",\n    ");
    private static final Chunk AFTER_HOSTS = Chunk.of("\n  ");
    private static final Chunk CHANGES = Chunk.of("{\n  \"version\": 2,\n  \"vhosts\": {");
    private static final Chunk END = Chunk.of("}\n}\n");

    private final Chunk head;
    private final PersistentMap<Hostname, HostText> hosts;

    RoutingFile(Chunk head, PersistentMap<Hostname, HostText> hosts) {
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

    /**
     * The hosts that are others in this file than in the one before, as the same host is written there, {@code null} for one that is gone. Costs
     * what they cost.
     *
     * @return an empty text where none is; nothing where more than hosts changed, or the text would be longer than so many bytes
     */
    public Optional<String> changesSince(RoutingFile before, int most) {
        if (!head.equals(before.head)) {
            return Optional.empty();
        }
        List<Change<Hostname, HostText>> changes = hosts.changesSince(before.hosts);
        if (changes.isEmpty()) {
            return Optional.of("");
        }
        var counter = new Counter();
        changes(changes, counter);
        if (counter.length > most) {
            return Optional.empty();
        }
        var target = ByteBuffer.allocate(counter.length);
        changes(changes, new Copy(target));
        return Optional.of(new String(target.array(), UTF_8));
    }

    private static void changes(List<Change<Hostname, HostText>> changes, Sink sink) {
        sink.put(CHANGES);
        Chunk between = FIRST;
        for (Change<Hostname, HostText> change : changes) {
            sink.put(between);
            change.after()
                    .ifPresentOrElse(
                            host -> host.copyTo(sink),
                            () -> sink.put(Chunk.of(
                                    JsonWriter.compact().text(change.key().value()) + ": null")));
            between = NEXT;
        }
        sink.put(AFTER_HOSTS);
        sink.put(END);
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
