package org.tamanoir.services.interest.tree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    /** A filter in place of those that it covers. */
    private record Merged(Filter filter, List<Filter> of) {
    }

    /**
     * Filters that cover so many of these that no more than {@code target} are left.
     *
     * @return what has to be added to them
     */
    static List<Filter> coarser(Collection<Filter> filters, int target) {
        Set<Filter> left = new LinkedHashSet<>(filters);
        while (left.size() > target) {
            for (Merged merged : round(left, left.size() - target)) {
                merged.of().forEach(left::remove);
                left.add(merged.filter());
            }
        }
        filters.forEach(left::remove);
        return List.copyOf(left);
    }

    private static List<Merged> round(Set<Filter> filters, int tooMany) {
        Map<TopicPattern, List<Filter>> byTopic = new HashMap<>();
        filters.forEach(each -> byTopic.computeIfAbsent(each.topic(), unused -> new ArrayList<>()).add(each));
        List<Filter> largest = byTopic.values().stream().max(Comparator.comparingInt(List::size)).orElseThrow();
        if (largest.size() < 2 || byTopic.size() > filters.size() - tooMany) {
            return aLevelUp(byTopic, tooMany);
        }
        List<Filter> regions = largest.stream().filter(each -> each.region() != null).toList();
        return regions.size() < 2 ? List.of(new Merged(new Filter(largest.get(0).topic(), null, null, 0), largest)) : pairs(regions, tooMany);
    }

    private record Pair(int first, Filter around, double added) {
    }

    /** Neighbours on the curve, each in one pair at most: those to which the box around both adds the least. */
    private static List<Merged> pairs(List<Filter> regions, int wanted) {
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
        List<Merged> merged = new ArrayList<>();
        for (Pair pair : pairs) {
            if (merged.size() < wanted && !taken.get(pair.first()) && !taken.get(pair.first() + 1)) {
                taken.set(pair.first(), pair.first() + 2);
                merged.add(new Merged(pair.around(), ordered.subList(pair.first(), pair.first() + 2)));
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

    /** The deepest topics become the level above them, and of those first where there are most. */
    private static List<Merged> aLevelUp(Map<TopicPattern, List<Filter>> byTopic, int tooMany) {
        Map<TopicPattern, List<Filter>> byParent = new HashMap<>();
        int deepest = byTopic.keySet().stream().mapToInt(Merging::depth).max().orElseThrow();
        byTopic.forEach((topic, filters) -> {
            if (depth(topic) == deepest) {
                byParent.computeIfAbsent(topic.parent(), unused -> new ArrayList<>()).addAll(filters);
            }
        });
        List<Map.Entry<TopicPattern, List<Filter>>> parents = new ArrayList<>(byParent.entrySet());
        parents.sort(Comparator.comparingInt(each -> -each.getValue().size()));
        List<Merged> merged = new ArrayList<>();
        int gone = 0;
        for (Map.Entry<TopicPattern, List<Filter>> parent : parents) {
            if (gone < tooMany || merged.isEmpty()) {
                merged.add(new Merged(allOf(parent.getKey(), parent.getValue()), parent.getValue()));
                gone += parent.getValue().size() - 1;
            }
        }
        return merged;
    }

    /** One topic is deeper than all from its level on. */
    private static int depth(TopicPattern topic) {
        return topic.equals(TopicPattern.ALL) ? 0 : 2 * (int) topic.base().chars().filter(c -> c == '/').count() + (topic.prefix() ? 1 : 2);
    }

    private static Filter allOf(TopicPattern topic, List<Filter> filters) {
        Region around = filters.get(0).region();
        for (Filter each : filters) {
            around = around == null || each.region() == null ? null : around.boxWith(each.region());
        }
        return new Filter(topic, null, around, 0);
    }
}
