package dev.shellac.testkit.kube;

import java.util.Arrays;
import java.util.List;

/**
 * A path of the API, taken apart.
 *
 * @param root group and version, as in {@code /apis/apps/v1}
 * @param namespace empty where the path has none
 * @param name empty for a collection
 * @param part {@code status}, or empty
 */
record ApiPath(String root, String namespace, String plural, String name, String part) {
    static ApiPath of(String path) {
        List<String> words = Arrays.stream(path.split("/", -1)).skip(1).toList();
        int head = words.getFirst().equals("api") ? 2 : 3;
        String root = "/" + String.join("/", words.subList(0, Math.min(head, words.size())));
        List<String> rest = words.subList(Math.min(head, words.size()), words.size());
        // "namespaces" is a kind too.
        boolean within = rest.size() > 2 && rest.getFirst().equals("namespaces");
        List<String> last = within ? rest.subList(2, rest.size()) : rest;
        return new ApiPath(root, within ? rest.get(1) : "", word(last, 0), word(last, 1), word(last, 2));
    }

    private static String word(List<String> words, int at) {
        return at < words.size() ? words.get(at) : "";
    }

    boolean isIn(ApiPath collection) {
        return root.equals(collection.root)
                && plural.equals(collection.plural)
                && (collection.namespace.isEmpty() || namespace.equals(collection.namespace));
    }

    String object() {
        return root + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/" + plural + "/" + name;
    }
}
