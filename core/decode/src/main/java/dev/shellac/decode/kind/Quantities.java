package dev.shellac.decode.kind;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.tree.Node;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts as Kubernetes writes them: {@code 512Mi}, {@code 1.5G}, {@code 100m}, or a number. */
final class Quantities {
    private static final String SOURCE = "^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2}|[KMGTPE]i|[numkMGTPE])?$";
    private static final Pattern PARTS = Pattern.compile(SOURCE);
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
    private static final Map<String, Integer> POWERS_OF_TEN =
            Map.of("", 0, "n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
    private static final String BINARY = "KMGTPE";

    static final Schema.WholeOrText SCHEMA =
            Schema.wholeOrText().matching(Names.pattern(SOURCE, "an amount such as 512Mi, 1G or 500m"));

    private Quantities() {}

    /** Rounded up, as Kubernetes does; none where it is more than anybody has. */
    static Optional<Long> bytes(Node node) {
        if (node instanceof Node.Whole whole) {
            return Optional.of(whole.value());
        }
        return node instanceof Node.Text text ? bytes(text.value()) : Optional.empty();
    }

    private static Optional<Long> bytes(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        String digits = parts.group(1);
        BigDecimal number = new BigDecimal(digits.endsWith(".") ? digits + "0" : digits);
        BigDecimal amount =
                number.multiply(unit(Optional.ofNullable(parts.group(2)).orElse("")));
        BigDecimal rounded = amount.setScale(0, RoundingMode.CEILING);
        return rounded.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
                ? Optional.empty()
                : Optional.of(rounded.longValueExact());
    }

    private static BigDecimal unit(String suffix) {
        if (suffix.endsWith("i")) {
            return KIBI.pow(BINARY.indexOf(suffix.charAt(0)) + 1);
        }
        Integer power = POWERS_OF_TEN.get(suffix);
        return BigDecimal.ONE.scaleByPowerOfTen(power == null ? Integer.parseInt(suffix.substring(1)) : power);
    }
}
