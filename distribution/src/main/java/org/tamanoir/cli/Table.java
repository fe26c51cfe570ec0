package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Columns for people: as wide as their widest cell, two blanks apart. */
final class Table {
    private final List<String[]> rows = new ArrayList<>();

    Table(String... titles) {
        rows.add(titles);
    }

    /** @param cells as many as there are titles */
    void add(Object... cells) {
        String[] row = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            row[i] = String.valueOf(cells[i]);
        }
        rows.add(row);
    }

    void print(PrintWriter out) {
        int columns = rows.get(0).length;
        int[] widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
        out.flush();
    }
}
