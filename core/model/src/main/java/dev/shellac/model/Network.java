package dev.shellac.model;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses that begin alike: {@code 10.0.0.0/8}, {@code fd00::/8}; one address alone is a network of its own. */
public record Network(String address, int bits) {
    private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f.:]+)(?:/(0|[1-9][0-9]{0,2}))?");
    private static final int V4_BITS = 32;
    private static final int V6_BITS = 128;

    public Network {
        if (!isNetwork(address, bits)) {
            throw new IllegalArgumentException("not a network: " + address + "/" + bits);
        }
    }

    /** Nothing where the text is none. */
    public static Optional<Network> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        String address = form.group(1);
        int all = address.contains(":") ? V6_BITS : V4_BITS;
        int bits = form.group(2) == null ? all : Integer.parseInt(form.group(2));
        return isNetwork(address, bits) ? Optional.of(new Network(address, bits)) : Optional.empty();
    }

    private static boolean isNetwork(String address, int bits) {
        return bits >= 0
                && ((IpLiteral.isV4(address) && bits <= V4_BITS) || (IpLiteral.isV6(address) && bits <= V6_BITS));
    }

    @Override
    public String toString() {
        return address + "/" + bits;
    }
}
