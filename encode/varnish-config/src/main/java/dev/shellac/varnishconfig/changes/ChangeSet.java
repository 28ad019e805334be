package dev.shellac.varnishconfig.changes;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Changes of a routing.json. What is written down of them has a writer and a number too, so that both ways can be told apart.
 *
 * @param revision whose they are, and which
 * @param base the hash of the whole file that they are of
 * @param json the changes; empty where there are none
 */
public record ChangeSet(Revision revision, String base, String json) {
    /** Where a pod takes them, by POST, the JSON being the body. */
    public static final String PATH = "/changes";

    public static final String WRITER = "X-Changes-Writer";
    public static final String NUMBER = "X-Changes-Number";
    public static final String BASE = "X-Changes-Base";
    public static final String SIGNATURE = "X-Changes-Seal";

    /**
     * Of a writer's changes those with the higher number are newer.
     *
     * @param writer the open half of its {@link KeyAgreementShare}; empty where it is not known
     */
    public record Revision(String writer, long number) {
        public static final Revision NONE = new Revision("", 0);
    }

    byte[] bytes() {
        return (revision.writer() + "\n" + revision.number() + "\n" + base + "\n" + json).getBytes(UTF_8);
    }
}
