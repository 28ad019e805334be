package dev.shellac.translate.resolve;

import dev.shellac.translate.resolve.CacheStorage.Asked;
import dev.shellac.translate.resolve.CacheStorage.Medium;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How much memory objects may take in a pod, and the storages that they are in. The router keeps to it: it counts what varnishd keeps beside each object,
 * and reserves as much of the storages (decision 21).
 *
 * @param bytes for objects and what is kept beside them
 * @param limit of the container
 */
public record ObjectMemory(long bytes, long limit, List<NamedStorage> storages) {
    /**
     * What varnishd (7.7) keeps of an object beside its bytes, and vmod_xkey of one that has keys. Measured; docs/kubernetes.md.
     */
    static final long OBJECT = 700;

    /** What vmod_xkey keeps for each key of an object. */
    static final long KEY = 180;

    // The router gives an object one, for its host and path.
    private static final int USUAL_KEYS = 1;
    private static final long KIBI = 1024;

    /** A storage by the name that varnishd gives it. */
    public record NamedStorage(String name, Medium medium, long bytes) {}

    public ObjectMemory {
        storages = List.copyOf(storages);
    }

    static ObjectMemory of(long bytes, long limit, CacheStorage storage) {
        var storages = new ArrayList<NamedStorage>();
        int unnamed = 0;
        for (Asked asked : storage.asked()) {
            if (!asked.isTransient()) {
                String name = asked.name().orElse("s" + unnamed);
                unnamed += asked.name().isPresent() ? 0 : 1;
                storages.add(
                        new NamedStorage(name, asked.medium(), asked.bytes().orElse(0L)));
            }
        }
        if (storages.isEmpty()) {
            storages.add(new NamedStorage("s0", Medium.MEMORY, bytes));
        }
        return new ObjectMemory(bytes, limit, storages);
    }

    /** In the router's words. */
    public String argument() {
        return Stream.concat(
                        Stream.of(bytes, OBJECT, KEY).map(String::valueOf),
                        storages.stream()
                                .map(storage -> storage.name() + ":"
                                        + (storage.medium() == Medium.MEMORY ? "memory" : "file") + ":"
                                        + storage.bytes()))
                .collect(Collectors.joining(" "));
    }

    /** How much of the storages objects can use, where that is not all of them. */
    public Optional<String> shortfall() {
        List<String> parts =
                Stream.of(inMemory(), inFiles()).flatMap(Optional::stream).toList();
        return parts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", parts));
    }

    private Optional<String> inMemory() {
        long size = size(Medium.MEMORY);
        return size <= bytes
                ? Optional.empty()
                : Optional.of("of a storage of " + MemoryBudget.mebi(size) + " MiB, objects can use "
                        + MemoryBudget.mebi(bytes) + " MiB: the memory limit of " + MemoryBudget.mebi(limit)
                        + " MiB has room for no more");
    }

    // The router reserves nothing of a file while what is kept beside objects takes less than half of the memory for
    // it.
    private Optional<String> inFiles() {
        long size = size(Medium.FILE);
        long objects = Math.max(1, bytes / 2 / (OBJECT + USUAL_KEYS * KEY));
        return size == 0
                ? Optional.empty()
                : Optional.of("objects of " + Math.ceilDiv(size / objects, KIBI)
                        + " KiB on average can fill a storage of " + MemoryBudget.mebi(size)
                        + " MiB in a file; smaller ones use less of it, since what is kept beside them takes memory");
    }

    private long size(Medium medium) {
        return storages.stream()
                .filter(storage -> storage.medium() == medium)
                .mapToLong(NamedStorage::bytes)
                .sum();
    }
}
