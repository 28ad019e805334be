package dev.shellac.operator.write;

import dev.shellac.model.ResourceId;
import dev.shellac.model.status.Condition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A status that an object shall have.
 *
 * @param path of the object
 * @param ours the types of conditions that are ours
 * @param fields made when it is written
 * @param bad what a person would want to know of it
 */
public record StatusUpdate(
        ResourceId object,
        String apiVersion,
        String uid,
        String path,
        Set<String> ours,
        Supplier<Map<String, Object>> fields,
        List<Condition> bad) {
    public StatusUpdate {
        ours = Set.copyOf(ours);
        bad = List.copyOf(bad);
    }
}
