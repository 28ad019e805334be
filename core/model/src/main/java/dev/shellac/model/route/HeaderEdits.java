package dev.shellac.model.route;

import java.util.List;

/** Changes to the headers of a message. */
public record HeaderEdits(List<Header> set, List<Header> add, List<String> remove) {
    public static final HeaderEdits NONE = new HeaderEdits(List.of(), List.of(), List.of());

    /** A header line. */
    public record Header(String name, String value) {}

    public HeaderEdits {
        set = List.copyOf(set);
        add = List.copyOf(add);
        remove = List.copyOf(remove);
    }
}
