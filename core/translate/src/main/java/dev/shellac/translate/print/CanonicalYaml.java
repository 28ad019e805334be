package dev.shellac.translate.print;

import dev.shellac.model.Port;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Prints values made of records, collections, names, numbers and text as YAML: components in their order, map keys sorted by
 * the map, nothing that is empty. A record that is one of several kinds begins with {@code is: kind}.
 */
public final class CanonicalYaml {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z/_][A-Za-z0-9/._@ -]*");
    private static final List<String> NOT_PLAIN = List.of("true", "false", "null", "yes", "no", "on", "off");

    private final StringBuilder out = new StringBuilder();

    private CanonicalYaml() {}

    public static String print(Object value) {
        var printer = new CanonicalYaml();
        Object tree = tree(value);
        if (tree instanceof Map<?, ?> map && !map.isEmpty()) {
            printer.map(map, 0);
        } else if (tree instanceof List<?> list && !list.isEmpty()) {
            printer.list(list, 0);
        } else {
            printer.out.append(scalar(tree)).append('\n');
        }
        return printer.out.toString();
    }

    private static Object tree(Object value) {
        return switch (value) {
            case Optional<?> optional ->
                optional.<Object>map(CanonicalYaml::tree).orElse(Map.of());
            case Duration duration -> duration.toMillis() + "ms";
            case Instant instant -> instant.toString();
            case Enum<?> constant -> constant.toString();
            case Port port -> port.value();
            case Record record when hasOwnWords(record) -> record.toString();
            case Record record -> fields(record);
            case Map<?, ?> map -> {
                var tree = new LinkedHashMap<String, Object>();
                map.forEach((key, item) -> tree.put(String.valueOf(key), tree(item)));
                yield tree;
            }
            case Collection<?> items -> {
                var tree = new ArrayList<Object>();
                items.forEach(item -> tree.add(tree(item)));
                yield tree;
            }
            default -> value;
        };
    }

    // A name, port or hostname says best itself what it is.
    private static boolean hasOwnWords(Record record) {
        try {
            return record.getClass().getMethod("toString").getDeclaringClass() == record.getClass()
                    && Comparable.class.isAssignableFrom(record.getClass());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> fields(Record record) {
        var fields = new LinkedHashMap<String, Object>();
        boolean oneOfSeveral = false;
        for (Class<?> parent : record.getClass().getInterfaces()) {
            oneOfSeveral |= parent.isSealed();
        }
        if (oneOfSeveral) {
            fields.put("is", record.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        }
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object tree = tree(read(record, component));
            if (!isEmpty(tree)) {
                fields.put(component.getName(), unwrapped(component.getName(), tree));
            }
        }
        return fields;
    }

    // What only wraps a value of the same name is not worth a level of its own.
    private static Object unwrapped(String name, Object tree) {
        Object inner = tree instanceof Map<?, ?> map && map.size() == 1 ? map.get(name) : null;
        return inner == null ? tree : inner;
    }

    private static Object read(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static boolean isEmpty(Object tree) {
        return (tree instanceof Map<?, ?> map && map.isEmpty())
                || (tree instanceof List<?> list && list.isEmpty())
                || tree.equals("");
    }

    private void map(Map<?, ?> map, int indent) {
        map.forEach((key, value) -> {
            out.append(" ".repeat(indent)).append(scalar(key)).append(':');
            value(value, indent);
        });
    }

    private void list(List<?> list, int indent) {
        list.forEach(item -> {
            out.append(" ".repeat(indent)).append('-');
            if (item instanceof Map<?, ?> map && !map.isEmpty()) {
                // The first field stands beside the dash.
                int start = out.length();
                map(map, indent + 2);
                out.replace(start, start + indent + 2, " ");
            } else {
                value(item, indent);
            }
        });
    }

    private void value(Object value, int indent) {
        if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            out.append('\n');
            map(map, indent + 2);
        } else if (value instanceof List<?> list && !list.isEmpty()) {
            out.append('\n');
            list(list, indent);
        } else {
            out.append(' ').append(scalar(value)).append('\n');
        }
    }

    private static String scalar(Object value) {
        if (value instanceof Map<?, ?>) {
            return "{}";
        }
        if (value instanceof List<?>) {
            return "[]";
        }
        String text = String.valueOf(value);
        if (value instanceof Number
                || value instanceof Boolean
                || (PLAIN.matcher(text).matches()
                        && !text.endsWith(" ")
                        && !NOT_PLAIN.contains(text.toLowerCase(Locale.ROOT)))) {
            return text;
        }
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
