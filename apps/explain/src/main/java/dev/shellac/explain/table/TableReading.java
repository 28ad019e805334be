package dev.shellac.explain.table;

/** What came of reading a table. */
public sealed interface TableReading {
    /** It can be used. */
    record Read(Table table) implements TableReading {}

    /** The whole of it cannot be used. The field is empty where it is no JSON. */
    record Refused(String field, String message) implements TableReading {}
}
