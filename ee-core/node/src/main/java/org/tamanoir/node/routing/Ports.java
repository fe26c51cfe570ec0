package org.tamanoir.node.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Ports of a destination, as ranges. */
public record Ports(List<Range> ranges) {
    private static final int MOST = 65535;

    /** All of them. */
    public static final Ports ALL = new Ports(List.of(new Range(1, MOST)));

    /** First and last of a range, 1 to 65535. */
    record Range(int first, int last) {
        @Override
        public String toString() {
            return first == last ? Integer.toString(first) : first + "-" + last;
        }
    }

    /**
     * Reads {@code 443} or {@code 443,5000-5999}.
     *
     * @throws AnepException EE-501
     */
    public static Ports parse(String text) {
        List<Range> ranges = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            String[] ends = each.trim().split("-", -1);
            int first = port(ends[0], text);
            Range range = new Range(first, ends.length == 1 ? first : port(ends[1], text));
            if (ends.length > 2 || range.last() < first) {
                throw bad(text);
            }
            ranges.add(range);
        }
        return new Ports(List.copyOf(ranges));
    }

    private static int port(String text, String all) {
        try {
            int port = Integer.parseInt(text.trim());
            if (port >= 1 && port <= MOST) {
                return port;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw bad(all);
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' is not a list of ports such as 443,5000-5999");
    }

    public boolean contain(int port) {
        return ranges.stream().anyMatch(range -> port >= range.first() && port <= range.last());
    }

    /** Whether all of the others are among these. */
    public boolean cover(Ports others) {
        return others.ranges.stream().allMatch(their -> ranges.stream().anyMatch(mine -> mine.first <= their.first && their.last <= mine.last));
    }

    @Override
    public String toString() {
        return ranges.stream().map(Range::toString).collect(Collectors.joining(","));
    }
}
