package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Columns that line up, numbers to the right. */
final class Table {
    private final List<String[]> rows = new ArrayList<>();
    /** By the number of the row that they stand below. */
    private final Map<Integer, String> notes = new HashMap<>();

    Table(String... heads) {
        rows.add(heads);
    }

    Table row(Object... cells) {
        String[] texts = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            texts[i] = cells[i] == null ? "-" : cells[i].toString();
        }
        rows.add(texts);
        return this;
    }

    /** A line of its own below the last row; it does not widen the columns. */
    Table note(String text) {
        notes.merge(rows.size() - 1, text, (before, more) -> before + System.lineSeparator() + more);
        return this;
    }

    void print(PrintWriter out) {
        int columns = rows.get(0).length;
        int[] widths = new int[columns];
        boolean[] numbers = new boolean[columns];
        for (int column = 0; column < columns; column++) {
            numbers[column] = rows.size() > 1;
            for (int row = 0; row < rows.size(); row++) {
                String cell = rows.get(row)[column];
                widths[column] = Math.max(widths[column], cell.length());
                numbers[column] &= row == 0 || cell.matches("[-0-9.,]+( [kMGT]?B)?");
            }
        }
        for (int each = 0; each < rows.size(); each++) {
            String[] row = rows.get(each);
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String fill = " ".repeat(widths[column] - row[column].length());
                line.append(numbers[column] ? fill + row[column] : row[column] + fill).append("  ");
            }
            out.println(line.toString().stripTrailing());
            if (notes.containsKey(each)) {
                out.println(notes.get(each));
            }
        }
    }
}
