package dev.shellac.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Name;
import dev.shellac.translate.resolve.UserVcl;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** The files of one Gateway: those that its varnishd reads, and what is kept of its VCL from run to run. */
final class GatewayFiles implements VclChange.Files {
    private static final System.Logger LOG = System.getLogger(GatewayFiles.class.getName());

    private final Name gateway;
    private final Path folder;
    private final StateFolder state;

    GatewayFiles(Name gateway, Path folder, StateFolder state) {
        this.gateway = gateway;
        this.folder = folder;
        this.state = state;
    }

    Path folder() {
        return folder;
    }

    @Override
    public Path table() {
        return folder.resolve("ghost.json");
    }

    void writeTable(byte[] bytes) throws IOException {
        readable(table(), bytes);
    }

    @Override
    public Path write(String name, String text) throws IOException {
        return readable(folder.resolve(name), text.getBytes(UTF_8));
    }

    // varnishd reads them as a user of its own; half a file is never seen.
    private Path readable(Path file, byte[] bytes) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.write(next, bytes);
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
        return Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public Optional<UserVcl> lastGood() {
        return state.vcl(gateway).map(text -> new UserVcl(gateway, "as it was last taken", text));
    }

    @Override
    public void keep(Optional<UserVcl> user) {
        try {
            state.keepVcl(gateway, user.map(UserVcl::text).orElse(""));
            if (user.isPresent()) {
                state.keepUserVcl(user.get());
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Gateway {0}: its VCL cannot be kept for the next start: {1}", gateway, e);
        }
    }

    void started(long pid) throws IOException {
        state.started(pid);
    }
}
