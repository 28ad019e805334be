package dev.shellac.varnishd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The Varnish of a Debian release, in its root, with ghost. */
enum Debian {
    VARNISH_7_1("debian-12"),
    VARNISH_7_7("debian-13");

    private static final Path HOME = Path.of(System.getProperty("shellac.home", "../.."))
            .toAbsolutePath()
            .normalize();

    private final String release;

    Debian(String release) {
        this.release = release;
    }

    List<String> command() {
        return List.of(HOME.resolve("bin/root").toString(), "run", release, "--", "varnishd");
    }

    Path vmods() {
        return HOME.resolve("build/ghost").resolve(release);
    }

    Path gatewayVcl() {
        return HOME.resolve("ghost/ghost-vmod/vcl");
    }

    /** Its files are in the given folder, which those without privileges can enter. */
    VarnishdSettings settings(Path folder, int port) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return VarnishdSettings.of(command(), folder, List.of(ListenSocket.http("http-80", "127.0.0.1:" + port)))
                .withParameter("cc_command", VarnishdSettings.TCC)
                .withParameter("vsl_space", "4M")
                .withVmods(vmods())
                .withVarnishstat(List.of(HOME.resolve("bin/root").toString(), "join", "{pid}", "--", "varnishstat"))
                .withStorage("malloc,16m");
    }
}
