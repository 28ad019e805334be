package dev.shellac.varnishd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a varnishd is started.
 *
 * @param command the words that start varnishd, itself the last: {@code varnishd}, or what runs it elsewhere
 * @param folder ours, for the working directory ({@code -n}), the secret and the control socket; short, for a socket's path
 *     has at most 107 bytes
 * @param sockets the public ones; that for control is added
 * @param parameters in addition to ours ({@code -p})
 * @param vmodPath where VMODs are looked for, before varnishd's own places
 * @param arguments more of the command line, after all of ours
 * @param workingDirectory varnishd's own ({@code -n}), for programs that read its log; none: in the folder
 * @param varnishstat the words that start varnishstat, {@code {pid}} being the process that was started; none: as varnishd
 */
public record VarnishdSettings(
        List<String> command,
        Path folder,
        List<ListenSocket> sockets,
        List<String> storages,
        Map<String, String> parameters,
        List<String> arguments,
        Optional<Path> vmodPath,
        Optional<Path> workingDirectory,
        Optional<List<String>> varnishstat) {
    private static final int MOST_SOCKET_PATH_BYTES = 107;

    /** On glibc 2.41 what tcc links by itself is refused; what ld makes of it is loaded, there and before. */
    public static final String TCC = "tcc -c -o %o.o %s && exec ld -shared -z noexecstack -o %o %o.o";

    public VarnishdSettings {
        command = List.copyOf(command);
        sockets = List.copyOf(sockets);
        storages = List.copyOf(storages);
        parameters = new LinkedHashMap<>(parameters);
        arguments = List.copyOf(arguments);
        varnishstat = varnishstat.map(List::copyOf);
        if (command.isEmpty()) {
            throw new IllegalArgumentException("no command to start varnishd with");
        }
        if (folder.resolve("reload.sock").toString().length() > MOST_SOCKET_PATH_BYTES) {
            throw new IllegalArgumentException("too long for the path of a socket: " + folder.resolve("reload.sock"));
        }
    }

    /** With varnishd's own storage and parameters. */
    public static VarnishdSettings of(List<String> command, Path folder, List<ListenSocket> sockets) {
        return new VarnishdSettings(
                command,
                folder,
                sockets,
                List.of(),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public VarnishdSettings withParameter(String name, String value) {
        var more = new LinkedHashMap<>(parameters);
        more.put(name, value);
        return new VarnishdSettings(
                command, folder, sockets, storages, more, arguments, vmodPath, workingDirectory, varnishstat);
    }

    public VarnishdSettings withStorage(String... storage) {
        return new VarnishdSettings(
                command,
                folder,
                sockets,
                List.of(storage),
                parameters,
                arguments,
                vmodPath,
                workingDirectory,
                varnishstat);
    }

    public VarnishdSettings withArguments(List<String> words) {
        return new VarnishdSettings(
                command, folder, sockets, storages, parameters, words, vmodPath, workingDirectory, varnishstat);
    }

    public VarnishdSettings withWorkingDirectory(Path path) {
        return new VarnishdSettings(
                command, folder, sockets, storages, parameters, arguments, vmodPath, Optional.of(path), varnishstat);
    }

    /** A folder of VMODs, before those of the system. */
    public VarnishdSettings withVmods(Path path) {
        return new VarnishdSettings(
                command,
                folder,
                sockets,
                storages,
                parameters,
                arguments,
                Optional.of(path),
                workingDirectory,
                varnishstat);
    }

    /** Whether VMODs are looked for elsewhere than varnishd does by itself: a user's own folders replace those that it knows. */
    boolean asksForVmods() {
        return vmodPath.isPresent() || arguments.stream().anyMatch(word -> word.contains("vmod_path"));
    }

    Path workdir() {
        return workingDirectory.orElseGet(() -> folder.resolve("n"));
    }

    Path secretFile() {
        return folder.resolve("secret");
    }

    /** Where ghost is told to reload. */
    public Path controlSocket() {
        return folder.resolve("reload.sock");
    }

    List<String> commandLine(String callback) {
        var words = new ArrayList<>(command);
        // Without a VCL the manager waits to be told; a broken VCL is then an answer and not the end of it.
        words.addAll(List.of("-F", "-f", "", "-n", workdir().toString()));
        words.addAll(List.of("-S", secretFile().toString(), "-M", callback));
        sockets.forEach(socket -> words.addAll(List.of("-a", socket.argument())));
        words.addAll(List.of("-a", ListenSocket.control(controlSocket()).argument()));
        // Nothing is stored that neither its origin nor a policy says how long it is good: varnishd's own is two
        // minutes.
        words.addAll(List.of("-t", "0"));
        storages.forEach(storage -> words.addAll(List.of("-s", storage)));
        parameters.forEach((name, value) -> words.addAll(List.of("-p", name + "=" + value)));
        words.addAll(arguments);
        return words;
    }

    /** For a varnishd that runs where its processes have other numbers than here. */
    public VarnishdSettings withVarnishstat(List<String> words) {
        return new VarnishdSettings(
                command,
                folder,
                sockets,
                storages,
                parameters,
                arguments,
                vmodPath,
                workingDirectory,
                Optional.of(words));
    }

    List<String> statCommand(long pid) {
        return varnishstat
                .map(words -> words.stream()
                        .map(word -> word.replace("{pid}", String.valueOf(pid)))
                        .toList())
                .orElseGet(() -> sibling("varnishstat"));
    }

    // Another program of Varnish's, found the same way as varnishd.
    private List<String> sibling(String program) {
        var words = new ArrayList<>(command);
        Path varnishd = Path.of(words.removeLast());
        Path beside = varnishd.resolveSibling(program);
        words.add(varnishd.isAbsolute() && beside.toFile().canExecute() ? beside.toString() : program);
        return words;
    }
}
