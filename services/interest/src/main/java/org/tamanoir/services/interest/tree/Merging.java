package org.tamanoir.services.interest.tree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.shape.fractal.HilbertCode;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Predicate;
import org.tamanoir.services.interest.filter.Region;
import org.tamanoir.services.interest.filter.TopicPattern;

/**
 * What to merge when there are too many filters. First what has the same topic: two regions next to each other, on Hilbert's curve, become the box around both; filters
 * without a region lose their predicates. Then topics become the level above them.
 */
final class Merging {
    private static final int ORDER = 16;

    private Merging() {
    }

    /**
     * Filters that cover several of these, so that fewer are left: at least one less, or the same number of coarser topics, and about so many as are too many.
     *
     * @param tooMany how many should go
     * @param most    how many there may be
     */
    static List<Filter> next(List<Filter> filters, int tooMany, int most) {
        Map<TopicPattern, List<Filter>> byTopic = new HashMap<>();
        filters.forEach(each -> byTopic.computeIfAbsent(each.topic(), unused -> new ArrayList<>()).add(each));
        List<Filter> largest = byTopic.values().stream().max(Comparator.comparingInt(List::size)).orElseThrow();
        if (largest.size() < 2 || byTopic.size() > most) {
            return coarserTopics(filters, tooMany);
        }
        List<Filter> regions = largest.stream().filter(each -> each.region() != null).toList();
        return regions.size() < 2 ? List.of(new Filter(largest.get(0).topic(), null, null, 0)) : pairs(regions, tooMany);
    }

    private record Pair(int first, Filter around, double added) {
    }

    /** Neighbours on the curve, each in one pair at most: those to which the box around both adds the least. */
    private static List<Filter> pairs(List<Filter> regions, int wanted) {
        Envelope all = new Envelope();
        regions.forEach(each -> all.expandToInclude(each.region().envelope()));
        List<Filter> ordered = new ArrayList<>(regions);
        ordered.sort(Comparator.comparingInt(each -> onCurve(each.region(), all)));
        List<Pair> pairs = new ArrayList<>();
        for (int i = 1; i < ordered.size(); i++) {
            Filter around = around(ordered.get(i - 1), ordered.get(i));
            double apart = ordered.get(i - 1).region().envelope().getArea() + ordered.get(i).region().envelope().getArea();
            pairs.add(new Pair(i - 1, around, around.region().envelope().getArea() - apart));
        }
        pairs.sort(Comparator.comparingDouble(Pair::added));
        BitSet taken = new BitSet();
        List<Filter> merged = new ArrayList<>();
        for (Pair pair : pairs) {
            if (merged.size() < wanted && !taken.get(pair.first()) && !taken.get(pair.first() + 1)) {
                taken.set(pair.first(), pair.first() + 2);
                merged.add(pair.around());
            }
        }
        return merged;
    }

    private static int onCurve(Region region, Envelope all) {
        Coordinate centre = region.envelope().centre();
        int side = (1 << ORDER) - 1;
        int x = all.getWidth() == 0 ? 0 : (int) ((centre.x - all.getMinX()) / all.getWidth() * side);
        int y = all.getHeight() == 0 ? 0 : (int) ((centre.y - all.getMinY()) / all.getHeight() * side);
        return HilbertCode.encode(ORDER, x, y);
    }

    private static Filter around(Filter one, Filter other) {
        Predicate where = Objects.equals(one.where(), other.where()) ? one.where() : null;
        return new Filter(one.topic(), where, one.region().boxWith(other.region()), 0);
    }

    /** The levels above: first that which has most in it, and of those the deepest. */
    private static List<Filter> coarserTopics(List<Filter> filters, int tooMany) {
        Map<TopicPattern, List<Filter>> byParent = new HashMap<>();
        filters.stream().filter(each -> !each.topic().equals(TopicPattern.ALL)).forEach(each -> byParent.computeIfAbsent(each.topic().parent(), unused -> new ArrayList<>()).add(each));
        List<Map.Entry<TopicPattern, List<Filter>>> parents = new ArrayList<>(byParent.entrySet());
        parents.sort(Comparator.comparingInt((Map.Entry<TopicPattern, List<Filter>> each) -> -each.getValue().size()).thenComparingInt(each -> -each.getKey().base().length()));
        List<Filter> coarser = new ArrayList<>();
        int gone = 0;
        for (Map.Entry<TopicPattern, List<Filter>> parent : parents) {
            if (gone < tooMany || coarser.isEmpty()) {
                coarser.add(allOf(parent.getKey(), parent.getValue()));
                gone += parent.getValue().size() - 1;
            }
        }
        return coarser;
    }

    private static Filter allOf(TopicPattern topic, List<Filter> filters) {
        Region around = filters.get(0).region();
        for (Filter each : filters) {
            around = around == null || each.region() == null ? null : around.boxWith(each.region());
        }
        return new Filter(topic, null, around, 0);
    }
}
