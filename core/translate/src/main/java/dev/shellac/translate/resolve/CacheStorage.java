package dev.shellac.translate.resolve;

import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What parameters say about storage, in their own field or as {@code -s} among the arguments of varnishd.
 *
 * @param asked storages, in varnishd's words; none where the budget is to decide
 * @param otherArguments those of varnishd that are about something else
 */
public record CacheStorage(List<Asked> asked, List<String> otherArguments) {
    /** The file of a storage of type file, on a volume of its own. */
    public static final String FILE = "/var/lib/varnish-storage/objects";

    private static final String FLAG = "-s";
    private static final Pattern SIZE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kmgt]?)b?");
    private static final String UNITS = "kmgt";
    private static final int KIBI = 1024;
    private static final long MEBI = 1L << 20;

    /**
     * One storage.
     *
     * @param bytes how large it may grow; none where nothing bounds it
     */
    public record Asked(String argument, Medium medium, Optional<Long> bytes) {
        public boolean isTransient() {
            return argument.startsWith("Transient=");
        }

        /** As the argument has it. */
        Optional<String> name() {
            String first = argument.split(",", 2)[0];
            int equals = first.indexOf('=');
            return equals > 0 ? Optional.of(first.substring(0, equals)) : Optional.empty();
        }
    }

    /** Where objects are. */
    public enum Medium {
        MEMORY,
        FILE
    }

    public CacheStorage {
        asked = List.copyOf(asked);
        otherArguments = List.copyOf(otherArguments);
    }

    public static CacheStorage of(Optional<GatewayClassParameters> parameters) {
        var asked = new ArrayList<Asked>();
        parameters
                .flatMap(GatewayClassParameters::storage)
                .flatMap(CacheStorage::asked)
                .ifPresent(asked::add);
        var others = new ArrayList<String>();
        List<String> words =
                parameters.map(GatewayClassParameters::varnishdExtraArgs).orElse(List.of());
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals(FLAG) && i + 1 < words.size()) {
                i++;
                asked.add(parsed(words.get(i)));
            } else if (word.startsWith(FLAG) && !word.equals(FLAG)) {
                asked.add(parsed(word.substring(FLAG.length())));
            } else {
                others.add(word);
            }
        }
        return new CacheStorage(asked, others);
    }

    private static Optional<Asked> asked(Storage storage) {
        return storage.bytes().map(bytes -> switch (storage.kind()) {
            case MALLOC -> new Asked("malloc," + mebi(bytes), Medium.MEMORY, Optional.of(bytes));
            case FILE -> new Asked("file," + FILE + "," + mebi(bytes), Medium.FILE, Optional.of(bytes));
        });
    }

    /** Whole mebibytes, in varnishd's words. */
    public static String mebi(long bytes) {
        return Math.max(1, bytes / MEBI) + "m";
    }

    // [name=]type[,option…]: the size is the first option of malloc, the second of file.
    private static Asked parsed(String argument) {
        String body = argument.substring(argument.indexOf('=') + 1);
        String[] parts = body.split(",", -1);
        boolean isFile = parts[0].equals("file") || parts[0].equals("persistent");
        int at = isFile ? 2 : 1;
        return new Asked(
                argument, isFile ? Medium.FILE : Medium.MEMORY, parts.length > at ? size(parts[at]) : Optional.empty());
    }

    /** A number of bytes, in varnishd's words. */
    static Optional<Long> size(String text) {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            return Optional.empty();
        }
        int power = size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2)) + 1;
        return Optional.of((long) (Double.parseDouble(size.group(1)) * Math.pow(KIBI, power)));
    }
}
