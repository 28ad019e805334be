package dev.shellac.cli.run;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether a port of this host can be opened and, if not, who has it. */
final class PortHolder {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final String LISTENING = "0A";
    private static final int STATE = 3;
    private static final int INODE = 9;

    private PortHolder() {}

    /** Why it cannot be opened; nothing if it can. */
    static Optional<String> obstacle(Optional<String> address, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(
                    address.isPresent()
                            ? new InetSocketAddress(InetAddress.getByName(address.get()), port)
                            : new InetSocketAddress(port));
            return Optional.empty();
        } catch (BindException e) {
            String words = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            return Optional.of(words.contains("in use") ? "in use by " + holder(port) : words);
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static String holder(int port) {
        try {
            Set<String> sockets = listening(port);
            try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                for (Path process : processes) {
                    if (holdsOne(process, sockets)) {
                        return Files.readString(process.resolve("comm")).strip() + ", process " + process.getFileName();
                    }
                }
            }
        } catch (IOException e) {
            // Nobody that may be seen.
        }
        return "another process";
    }

    private static Set<String> listening(int port) throws IOException {
        var inodes = new HashSet<String>();
        String ending = ":%04X".formatted(port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (!Files.exists(Path.of(table))) {
                continue;
            }
            for (String line : Files.readAllLines(Path.of(table))) {
                List<String> fields = BLANKS.splitAsStream(line.strip()).toList();
                if (fields.size() > INODE
                        && fields.get(1).endsWith(ending)
                        && fields.get(STATE).equals(LISTENING)) {
                    inodes.add("socket:[" + fields.get(INODE) + "]");
                }
            }
        }
        return inodes;
    }

    private static boolean holdsOne(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (sockets.contains(Files.readSymbolicLink(file).toString())) {
                    return true;
                }
            }
        } catch (IOException e) {
            // A process that ended, or that is not ours to look into.
        }
        return false;
    }
}
