package dev.shellac.explain.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The one spelling of an IPv6 address, by RFC 5952: two texts that name one endpoint must be one key. */
final class Ipv6 {
    private static final int GROUPS = 8;
    private static final int MAPPED = 0xffff;

    private Ipv6() {}

    /** The short spelling of a text that is an address. */
    static String shortened(String text) {
        int gap = text.indexOf("::");
        List<Integer> groups;
        if (gap < 0) {
            groups = groups(text);
        } else {
            List<Integer> before = groups(text.substring(0, gap));
            List<Integer> after = groups(text.substring(gap + 2));
            groups = new ArrayList<>(before);
            while (groups.size() + after.size() < GROUPS) {
                groups.add(0);
            }
            groups.addAll(after);
        }
        if (groups.size() == GROUPS
                && groups.get(5) == MAPPED
                && groups.subList(0, 5).stream().allMatch(g -> g == 0)) {
            int high = groups.get(6);
            int low = groups.get(7);
            return "::ffff:" + (high >> 8) + "." + (high & 255) + "." + (low >> 8) + "." + (low & 255);
        }
        return print(groups);
    }

    private static List<Integer> groups(String text) {
        var groups = new ArrayList<Integer>();
        for (String part : text.isEmpty() ? new String[0] : text.split(":", -1)) {
            if (part.contains(".")) {
                String[] bytes = part.split("\\.", -1);
                groups.add(Integer.parseInt(bytes[0]) << 8 | Integer.parseInt(bytes[1]));
                groups.add(Integer.parseInt(bytes[2]) << 8 | Integer.parseInt(bytes[3]));
            } else {
                groups.add(Integer.parseInt(part, 16));
            }
        }
        return groups;
    }

    // The first of the longest runs of two or more zeros becomes the gap.
    private static String print(List<Integer> groups) {
        int start = -1;
        int longest = 1;
        for (int i = 0; i < groups.size(); i++) {
            int end = i;
            while (end < groups.size() && groups.get(end) == 0) {
                end++;
            }
            if (end - i > longest) {
                start = i;
                longest = end - i;
            }
        }
        return start < 0
                ? hex(groups)
                : hex(groups.subList(0, start)) + "::" + hex(groups.subList(start + longest, groups.size()));
    }

    private static String hex(List<Integer> groups) {
        return groups.stream().map(Integer::toHexString).collect(Collectors.joining(":"));
    }
}
