package dev.shellac.kube.watch;

import dev.shellac.kube.api.Requests.Form;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * What is watched: all objects of a kind, or those of a namespace or with a label.
 *
 * @param path of the collection
 * @param selector query parameters, or empty
 * @param annotations those that are read; of all others, which may be as large as their author likes, nothing is kept
 */
public record Collection(String path, String selector, RawObject.Type type, Form form, Set<String> annotations) {
    public Collection {
        annotations = Set.copyOf(annotations);
    }

    public static Collection of(String path, RawObject.Type type) {
        return new Collection(path, "", type, Form.WHOLE, Set.of());
    }

    /** The path of a kind: its group and version, as in {@code v1} or {@code apps/v1}, and its plural. */
    public static String path(String apiVersion, String plural) {
        return (apiVersion.indexOf('/') < 0 ? "/api/" : "/apis/") + apiVersion + "/" + plural;
    }

    public Collection labelled(String selector) {
        return new Collection(path, "labelSelector=" + encoded(selector), type, form, annotations);
    }

    public Collection withFields(String selector) {
        return new Collection(path, "fieldSelector=" + encoded(selector), type, form, annotations);
    }

    /** Names and labels alone. */
    public Collection metadata() {
        return new Collection(path, selector, type, Form.METADATA, annotations);
    }

    /** With these annotations. */
    public Collection annotated(Set<String> keys) {
        return new Collection(path, selector, type, form, keys);
    }

    Form ofList() {
        return form == Form.METADATA ? Form.METADATA_LIST : form;
    }

    String query(String more) {
        return path + "?" + (selector.isEmpty() ? "" : selector + "&") + more;
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return selector.isEmpty() ? path : path + "?" + selector;
    }
}
