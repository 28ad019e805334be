package dev.shellac.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.UUID;

/** Where the state of a folder is, unless told otherwise: apart from that of any other folder, whatever they are called. */
public final class StatePlaces {
    private static final int ENOUGH = 8;

    private StatePlaces() {}

    public static Path of(Path home, Path folder) {
        Path real = folder.toAbsolutePath().normalize();
        String mark = UUID.nameUUIDFromBytes(real.toString().getBytes(UTF_8))
                .toString()
                .substring(0, ENOUGH);
        Path name = real.getFileName();
        return home.resolve("shellac").resolve((name == null ? "root" : name) + "-" + mark);
    }
}
