package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/** Asks the HAProxy that has the socket now. */
record RuntimeSocket(Path path) {
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int MOST_BYTES = 1 << 20;

    String ask(String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Thread overdue = Thread.ofVirtual().start(() -> closeLate(channel));
            try {
                channel.connect(UnixDomainSocketAddress.of(path));
                for (ByteBuffer rest = ByteBuffer.wrap((command + "\n").getBytes(UTF_8)); rest.hasRemaining(); ) {
                    channel.write(rest);
                }
                var answer = new ByteArrayOutputStream();
                ByteBuffer piece = ByteBuffer.allocate(8192);
                while (channel.read(piece) >= 0 && answer.size() < MOST_BYTES) {
                    answer.write(piece.array(), 0, piece.position());
                    piece.clear();
                }
                return answer.toString(UTF_8);
            } finally {
                overdue.interrupt();
            }
        }
    }

    private static void closeLate(SocketChannel channel) {
        try {
            Thread.sleep(LONGEST);
            channel.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it was in time
        } catch (IOException e) {
            // whoever reads is told
        }
    }
}
