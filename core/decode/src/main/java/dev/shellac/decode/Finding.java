package dev.shellac.decode;

import dev.shellac.decode.tree.Position;
import dev.shellac.model.status.MessageText;

/**
 * Something about a file that its author should know.
 *
 * @param object the object it is about, as a person says it, or empty where there is none
 * @param path the field, as in {@code spec.rules[0].matches[1].path.value}, or empty
 */
public record Finding(Severity severity, Position at, String object, String path, String message) {
    public Finding {
        path = MessageText.cut(path);
        message = MessageText.cut(message);
    }

    /** How bad it is. */
    public enum Severity {
        /** The object is not used; the API server would refuse it too. */
        ERROR,
        /** The object is used, but not all that was written has an effect. */
        WARNING,
        /** Not for us. */
        NOTE
    }

    @Override
    public String toString() {
        var text = new StringBuilder().append(at).append(": ");
        if (!object.isEmpty()) {
            text.append(object).append(": ");
        }
        if (!path.isEmpty()) {
            text.append(path).append(": ");
        }
        return text.append(message).toString();
    }
}
