package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Name;
import dev.shellac.translate.resolve.CertificateRoom;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The names of a Gateway's objects. They begin with the Gateway's name where that can be the name of a Service: at most 63 characters, no dots, a
 * letter first. Any other is shortened and gets a hash of the whole, so that two Gateways never share a name.
 */
public record Names(Name gateway) {
    /** What the name of the Secret ends with that lists the parts with certificates. */
    public static final String CERTIFICATE_INDEX = "-certificates-index";

    private static final int MOST = 63;
    private static final int HASH = 10;
    private static final int MOST_PARTS = 8;
    private static final Pattern LABEL = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern LABEL_VALUE = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    /** Of the Deployment, its Service, the disruption budget and the autoscaler; what all others begin with. */
    public String base() {
        return label(gateway.name());
    }

    public String serviceAccount() {
        return base() + "-chaperone";
    }

    /** Of the Role and its binding in the Gateway's namespace. */
    public String role() {
        return base() + "-chaperone";
    }

    /** Of the Role and its binding in another namespace, where Gateways of many namespaces may have one. */
    public String foreignRole() {
        return shortened(base() + "-chaperone", gateway.toString());
    }

    public String configMap() {
        return base() + "-vcl";
    }

    /** Of the part of routing.json with this number, from 1. */
    public String configMapPart(int number) {
        return configMap() + "-" + number;
    }

    /** Of what changed since the whole was written. */
    public String configMapOfChanges() {
        return configMap() + "-changes";
    }

    /** All ConfigMaps that a pod may have to read. */
    public List<String> configMaps() {
        return Stream.concat(
                        Stream.of(configMap(), configMapOfChanges()),
                        IntStream.rangeClosed(1, MOST_PARTS).mapToObj(this::configMapPart))
                .toList();
    }

    /** What the Secrets with certificates begin with. */
    public String certificates() {
        return base() + "-certificates";
    }

    /** Of the Secret that lists the parts. */
    public String certificateIndex() {
        return base() + CERTIFICATE_INDEX;
    }

    /** Of the Secret that is the part with this number, from 0. */
    public String certificatePart(int number) {
        return certificates() + "-" + number;
    }

    /** All Secrets that a pod may have to read. */
    public List<String> certificateSecrets() {
        return Stream.concat(
                        Stream.of(certificateIndex()),
                        IntStream.range(0, CertificateRoom.PARTS).mapToObj(this::certificatePart))
                .toList();
    }

    /** Of the one Secret with all certificates that pods of earlier releases read. */
    public String formerSecret() {
        return base() + "-tls";
    }

    /** Of the Service that asks for one more address. By address, so that the others keep theirs when one goes. */
    public String addressService(String address) {
        return shortened(base() + "-address", "address " + address + " of " + gateway.name());
    }

    public String metricsService() {
        return shortened(base() + "-metrics", "metrics of " + gateway.name());
    }

    /** The value of a label that names the Gateway. */
    public String labelValue() {
        String name = gateway.name();
        return name.length() <= MOST && LABEL_VALUE.matcher(name).matches() ? name : base();
    }

    private static String label(String wanted) {
        return wanted.length() <= MOST && LABEL.matcher(wanted).matches() ? wanted : shortened(wanted, wanted);
    }

    /** As much of the text as fits before a hash of the whole. */
    private static String shortened(String text, String whole) {
        String plain = text.replaceAll("[^-a-z0-9]", "-");
        String led = LABEL.matcher(plain.substring(0, 1)).matches() ? plain : "gw-" + plain;
        String cut = led.substring(0, Math.min(led.length(), MOST - HASH - 1)).replaceAll("-+$", "");
        return cut + "-" + hash(whole);
    }

    private static String hash(String text) {
        return sha256(text.getBytes(UTF_8)).substring(0, HASH);
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every Java has SHA-256", e);
        }
    }
}
