package org.tamanoir.cluster.weight;

import java.util.List;

/** How often a row of weights turns round: an oscillation does so again and again, a row that follows something does when that does. */
final class Swings {
    private Swings() {
    }

    /**
     * The turns of a server's weight, each by more than a factor.
     *
     * @param from the first row that counts
     */
    static int count(List<int[]> rows, int server, int from, double factor) {
        double high = rows.get(from)[server];
        double low = high;
        int direction = 0;
        int turns = 0;
        for (int[] row : rows.subList(from, rows.size())) {
            double weight = row[server];
            if (direction <= 0 && weight >= low * factor) {
                turns += direction == 0 ? 0 : 1;
                direction = 1;
                high = weight;
            } else if (direction >= 0 && weight * factor <= high) {
                turns += direction == 0 ? 0 : 1;
                direction = -1;
                low = weight;
            }
            high = direction == 0 || direction == 1 ? Math.max(high, weight) : weight;
            low = direction == 0 || direction == -1 ? Math.min(low, weight) : weight;
        }
        return turns;
    }

    /** How often a server's weight is set to another one. */
    static int changes(List<int[]> rows, int server, int from) {
        int changes = 0;
        for (int i = from + 1; i < rows.size(); i++) {
            changes += rows.get(i)[server] == rows.get(i - 1)[server] ? 0 : 1;
        }
        return changes;
    }
}
