package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.varnishconfig.changes.ChangeSet;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** How changes are written down; when they are taken is tested with the feeds. */
final class ConfigChangesTest {
    private static final RoutingFile WHOLE = new RoutingFile("whole".getBytes(UTF_8));

    private ConfigChanges changes = ConfigChanges.UNKNOWN;

    @Test
    void plainOrCompressed() throws Exception {
        see("\"data\":{\"base\":\"%s\",\"routing.changes.json\":\"a\"}");
        assertThat(taken()).contains("a");
        see("\"data\":{\"base\":\"%s\"},\"binaryData\":{\"routing.changes.json.gz\":\"" + zipped("b") + "\"}");
        assertThat(taken()).contains("b");
    }

    @Test
    void whatCannotBeReadLeavesWhatWasRead() throws Exception {
        see("\"data\":{\"base\":\"%s\",\"routing.changes.json\":\"a\"}");
        see("\"data\":{\"base\":\"%s\"},\"binaryData\":{\"routing.changes.json.gz\":\"AAAA\"}");
        assertThat(taken()).contains("a");
    }

    @Test
    void moreThanAnybodyWritesIsNotUnpacked() throws Exception {
        see("\"data\":{\"base\":\"%s\",\"routing.changes.json\":\"a\"}");
        String much = zipped("x".repeat((1 << 20) + 1));
        see("\"data\":{\"base\":\"%s\"},\"binaryData\":{\"routing.changes.json.gz\":\"" + much + "\"}");
        assertThat(taken()).contains("a");
    }

    @Test
    void theNewerOfBothWaysCounts() throws Exception {
        see(signed("w", 3, "written"));
        assertThat(changes.writer()).isEqualTo("w");
        assertThat(told("w", 3, "as old")).isFalse();
        assertThat(told("w", 2, "older")).isFalse();
        assertThat(told("w", 4, "newer")).isTrue();
        assertThat(taken()).contains("newer");
        see(signed("w", 3, "written"));
        assertThat(taken()).as("seen late").contains("newer");
        see(signed("w", 4, "edited by hand"));
        assertThat(taken()).contains("edited by hand");
    }

    @Test
    void anotherWriterCountsWhenItIsWritten() throws Exception {
        see(signed("w", 3, "written"));
        assertThat(told("w", 9, "newer")).isTrue();
        assertThat(told("x", 10, "who is that")).isFalse();
        see(signed("x", 1, "theirs"));
        assertThat(taken()).contains("theirs");
        assertThat(told("w", 11, "was it once")).isFalse();
        assertThat(told("x", 2, "is it now")).isTrue();
    }

    @Test
    void nothingIsToldOfChangesThatAreNotThere() throws Exception {
        assertThat(told("w", 1, "a")).isFalse();
        see(signed("w", 1, "a"));
        changes = changes.seen(Optional.empty());
        assertThat(told("w", 2, "b")).isFalse();
    }

    private static String signed(String writer, long number, String json) {
        return "\"data\":{\"base\":\"%s\",\"routing.changes.json\":\"" + json + "\",\"writer\":\"" + writer
                + "\",\"number\":\"" + number + "\"}";
    }

    private boolean told(String writer, long number, String json) {
        Optional<ConfigChanges> next =
                changes.told(new ChangeSet(new ChangeSet.Revision(writer, number), WHOLE.wholeHash(), json));
        next.ifPresent(found -> changes = found);
        return next.isPresent();
    }

    private Optional<String> taken() {
        return changes.of(WHOLE).flatMap(RoutingFile::changes);
    }

    private void see(String fields) throws RoutingFormatException {
        byte[] json = ("{" + fields.replace("%s", WHOLE.wholeHash()) + "}").getBytes(UTF_8);
        changes = changes.seen(Optional.of(Node.of(new JacksonJson().parse(json, 0, json.length))));
    }

    private static String zipped(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
