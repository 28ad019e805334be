package dev.shellac.varnishd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The processes of this machine, by what they were started with. */
final class Machine {
    private Machine() {}

    /** Those that have a word with this text on their command line. */
    static List<ProcessHandle> processesWith(Path folder) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process.pid()).contains(folder.toString()))
                .toList();
    }

    /** The processes below one that are called varnishd, the manager first. */
    static List<ProcessHandle> varnishds(long pid) {
        return Stream.concat(
                        ProcessHandle.of(pid).stream(),
                        ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants))
                .filter(process -> commandLine(process.pid()).startsWith("varnishd\0"))
                .sorted((a, b) -> Long.compare(depth(a), depth(b)))
                .toList();
    }

    private static long depth(ProcessHandle process) {
        return Stream.iterate(
                        process.parent(),
                        java.util.Optional::isPresent,
                        parent -> parent.flatMap(ProcessHandle::parent))
                .count();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }
}
