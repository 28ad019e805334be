package dev.shellac.model;

import java.util.List;
import java.util.Map;

/** Kubernetes' selector over labels: all parts must hold, and an empty one takes everything. */
public record LabelSelector(Map<String, String> matchLabels, List<Requirement> requirements) {
    /** How a requirement reads its values. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    /** One expression. */
    public record Requirement(String key, Operator operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean accepts(Map<String, String> labels) {
            boolean present = labels.containsKey(key);
            return switch (operator) {
                case IN -> present && values.contains(labels.get(key));
                // A missing label is not in the list: Kubernetes accepts it.
                case NOT_IN -> !present || !values.contains(labels.get(key));
                case EXISTS -> present;
                case DOES_NOT_EXIST -> !present;
            };
        }
    }

    public LabelSelector {
        matchLabels = Copies.of(matchLabels);
        requirements = List.copyOf(requirements);
    }

    public boolean accepts(Map<String, String> labels) {
        return labels.entrySet().containsAll(matchLabels.entrySet())
                && requirements.stream().allMatch(requirement -> requirement.accepts(labels));
    }
}
