package dev.shellac.cli.show;

import java.util.ArrayList;
import java.util.List;

/** Columns as wide as their widest cell, two spaces between them. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    private TextTable() {}

    public static TextTable of(String... headings) {
        return new TextTable().row(headings);
    }

    public TextTable row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    public boolean isEmpty() {
        return rows.size() == 1;
    }

    /** The headings first; the last column is not padded. */
    public List<String> lines() {
        int columns = rows.getFirst().size();
        var widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            line.append(row.get(i));
            if (i + 1 < row.size()) {
                line.append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
        }
        return line.toString().stripTrailing();
    }
}
