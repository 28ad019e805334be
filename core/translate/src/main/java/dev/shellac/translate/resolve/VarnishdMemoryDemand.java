package dev.shellac.translate.resolve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * What arguments of varnishd, other than those for storage, ask of the memory beyond what a pod has for it. They stand after ours on the command line, and
 * varnishd does as the last one says.
 *
 * @param more bytes, beyond what the budget has for the same
 * @param words for what
 * @param fault why no limit could hold it
 */
record VarnishdMemoryDemand(long more, List<String> words, Optional<String> fault) {
    private static final long KIBI = 1024;
    private static final long BUCKET = 128;
    private static final String CLASSIC = "classic";
    private static final String UNLIMITED = "unlimited";

    /** What a thread has of each by itself (Varnish 7.7), and what is counted for it in all. */
    private static final Map<String, Long> OF_A_THREAD = Map.of(
            "workspace_client", 96 * KIBI,
            "workspace_backend", 96 * KIBI,
            "workspace_thread", 2 * KIBI,
            "thread_pool_stack", 80 * KIBI,
            "vsl_buffer", 16 * KIBI);

    VarnishdMemoryDemand {
        words = List.copyOf(words);
    }

    static VarnishdMemoryDemand of(List<String> arguments, MemoryBudget budget) {
        var asked = new Asked();
        read(arguments, asked);
        var words = new ArrayList<String>();
        long more = asked.threads(budget, words) + asked.log(words) + asked.buckets(budget, words);
        return new VarnishdMemoryDemand(more, words, asked.fault);
    }

    private static void read(List<String> arguments, Asked asked) {
        Map<String, BiConsumer<Asked, String>> flags = Map.of(
                "-p", Asked::parameter, "-l", (log, size) -> log.parameter("vsl_space=" + size), "-h", Asked::hash);
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            BiConsumer<Asked, String> taker = flags.get(word.substring(0, Math.min(2, word.length())));
            if (taker != null && word.length() > 2) {
                taker.accept(asked, word.substring(2));
            } else if (taker != null && i + 1 < arguments.size()) {
                i++;
                taker.accept(asked, arguments.get(i));
            }
        }
    }

    private static final class Asked {
        private final Map<String, String> parameters = new LinkedHashMap<>();
        private Optional<String> hash = Optional.empty();
        private Optional<String> fault = Optional.empty();

        void parameter(String text) {
            int equals = text.indexOf('=');
            parameters.put(
                    text.substring(0, Math.max(0, equals)).strip(),
                    text.substring(equals + 1).strip());
        }

        void hash(String text) {
            hash = Optional.of(text);
        }

        private void refuse(String why) {
            fault = fault.or(() -> Optional.of(why));
        }

        // In bytes, or as a number.
        private OptionalLong size(String parameter) {
            String text = parameters.get(parameter);
            if (text == null) {
                return OptionalLong.empty();
            }
            Optional<Long> size = CacheStorage.size(text);
            if (size.isEmpty()) {
                refuse("'" + parameter + "=" + text + "' "
                        + (text.equalsIgnoreCase(UNLIMITED)
                                ? "has no bound, which no memory limit can promise to hold; write a number"
                                : "is not a number or size that varnishd accepts"));
            }
            return size.map(OptionalLong::of).orElse(OptionalLong.empty());
        }

        long threads(MemoryBudget budget, List<String> words) {
            long pools = size("thread_pools").orElse(MemoryBudget.POOLS);
            long most = size("thread_pool_max").orElse(budget.mostThreads() / MemoryBudget.POOLS);
            long each = MemoryBudget.THREAD;
            for (Map.Entry<String, Long> part : OF_A_THREAD.entrySet()) {
                each += Math.max(0, size(part.getKey()).orElse(0) - part.getValue());
            }
            // Products of what somebody wrote: a number that has no room anywhere is as good as the true one.
            double wanted = (double) pools * most * each;
            if (wanted <= budget.threads()) {
                return 0;
            }
            words.add(pools * most + " threads of " + each / KIBI + " KiB take " + MemoryBudget.mebi((long) wanted)
                    + " MiB");
            return (long) Math.min(wanted - budget.threads(), Long.MAX_VALUE / 4.0);
        }

        long log(List<String> words) {
            long wanted = size("vsl_space").orElse(0);
            if (wanted > MemoryBudget.LOG) {
                words.add("a log (vsl_space) of " + MemoryBudget.wholeMebi(wanted) + " MiB takes "
                        + MemoryBudget.wholeMebi(wanted - MemoryBudget.LOG) + " MiB more than the "
                        + MemoryBudget.mebi(MemoryBudget.LOG) + " MiB that are planned for it");
            }
            return Math.max(0, Math.min(wanted, Long.MAX_VALUE / 4) - MemoryBudget.LOG);
        }

        long buckets(MemoryBudget budget, List<String> words) {
            if (hash.isEmpty()) {
                return 0;
            }
            String[] parts = hash.get().split(",", 2);
            if (!parts[0].equals(CLASSIC)) {
                refuse(
                        "-h " + hash.get()
                                + " keeps what it has of an object for minutes after the object is gone, which no memory limit can promise to hold; -h classic does not");
                return 0;
            }
            long wanted = parts.length > 1 ? CacheStorage.size(parts[1]).orElse(0L) : 0;
            long more = wanted - budget.hashBuckets().orElse(0L);
            if (more <= 0) {
                return 0;
            }
            words.add("a hash of " + wanted + " buckets takes " + wanted * BUCKET / KIBI + " KiB");
            return Math.min(more, Long.MAX_VALUE / 4 / BUCKET) * BUCKET;
        }
    }
}
