package dev.shellac.model;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Whether a text is an IP address as ghost reads it: no zone, no brackets, no leading zero in IPv4. */
public final class IpLiteral {
    private static final Pattern BYTE = Pattern.compile("0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]");
    private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
    private static final int GROUPS = 8;

    private IpLiteral() {}

    public static boolean isV4(String text) {
        String[] bytes = text.split("\\.", -1);
        return bytes.length == 4
                && Arrays.stream(bytes).allMatch(part -> BYTE.matcher(part).matches());
    }

    public static boolean isV6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text, true) == GROUPS;
        }
        int before = groups(text.substring(0, gap), false);
        int after = groups(text.substring(gap + 2), true);
        return before >= 0 && after >= 0 && before + after < GROUPS;
    }

    /** How many groups of 16 bits there are; -1 where one of them is none. IPv4 may stand at the end. */
    private static int groups(String text, boolean mayEndInV4) {
        if (text.isEmpty()) {
            return 0;
        }
        List<String> parts = List.of(text.split(":", -1));
        boolean v4 = mayEndInV4 && isV4(parts.getLast());
        List<String> hex = v4 ? parts.subList(0, parts.size() - 1) : parts;
        if (!hex.stream().allMatch(part -> GROUP.matcher(part).matches())) {
            return -1;
        }
        return hex.size() + (v4 ? 2 : 0);
    }
}
