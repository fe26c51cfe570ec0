package org.tamanoir.services.interest.tree;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.TopicPattern;

/**
 * What is said to one node of what all other neighbours want: filters of which none covers another, and no more than {@link #most}. Filters that are covered stand below
 * the one that covers them. Where there would be too many, several are merged into one that covers them ({@link Merging}): more events come then than are wanted, and none
 * is missed.
 *
 * <p>Changes are said together, at the end of a turn, and what is new before what is gone.
 */
final class CoveringSet {
    private final int most;
    private final Consumer<Subscription> arrived;
    private final Map<Filter, Item> items = new HashMap<>();
    /** Those that are covered by no other, by topic. */
    private final Map<TopicPattern, Set<Item>> tops = new HashMap<>();
    private final Map<Integer, Item> said = new HashMap<>();
    private Set<Item> changed = new LinkedHashSet<>();
    private int topCount;
    private int merged;
    private int lastNumber;

    /** A filter that somebody wants, or that was made of such. */
    private static final class Item {
        private final Filter filter;
        /** How many want exactly this; 0 for one that was merged, which is covered by no other. */
        private int wanted;
        private Item cover;
        private final Set<Item> below = new LinkedHashSet<>();
        private boolean top;
        private int number;
        private boolean acknowledged;
        private Set<Subscription> waiting = new LinkedHashSet<>();

        private Item(Filter filter) {
            this.filter = filter;
        }
    }

    /** @param arrived told of subscriptions that need not wait for this link any more */
    CoveringSet(int most, Consumer<Subscription> arrived) {
        this.most = most;
        this.arrived = arrived;
    }

    int size() {
        return said.size();
    }

    void add(Subscription subscription) {
        Item item = items.get(subscription.filter);
        if (item == null) {
            item = new Item(subscription.filter);
            items.put(item.filter, item);
            place(item);
        } else if (item.wanted == 0) {
            merged--;
        }
        item.wanted++;
        Item top = item.top ? item : item.cover;
        if (!subscription.ready && !top.acknowledged && top.waiting.add(subscription)) {
            subscription.awaited++;
        }
    }

    /** Puts it below one that covers it, or above those that it covers. */
    private void place(Item item) {
        Item cover = cover(item.filter);
        if (cover != null) {
            item.cover = cover;
            cover.below.add(item);
            return;
        }
        for (Item covered : coveredBy(item.filter)) {
            demote(covered, item);
        }
        item.top = true;
        topCount++;
        tops.computeIfAbsent(item.filter.topic(), unused -> new LinkedHashSet<>()).add(item);
        changed.add(item);
    }

    private Item cover(Filter filter) {
        for (TopicPattern topic = filter.topic();; topic = topic.parent()) {
            Item found = among(topic, filter);
            if (found == null && !topic.prefix()) {
                // What is below a level has the level itself in it.
                found = among(new TopicPattern(topic.base(), true), filter);
            }
            if (found != null || topic.equals(TopicPattern.ALL)) {
                return found;
            }
        }
    }

    private Item among(TopicPattern topic, Filter filter) {
        for (Item top : tops.getOrDefault(topic, Set.of())) {
            if (top.filter.covers(filter)) {
                return top;
            }
        }
        return null;
    }

    private List<Item> coveredBy(Filter filter) {
        List<Item> covered = new ArrayList<>();
        Collection<Set<Item>> all = filter.topic().prefix() ? tops.values() : List.of(tops.getOrDefault(filter.topic(), Set.of()));
        for (Set<Item> those : all) {
            if (!those.isEmpty() && filter.topic().covers(those.iterator().next().filter.topic())) {
                those.stream().filter(top -> filter.covers(top.filter)).forEach(covered::add);
            }
        }
        return covered;
    }

    /** One that was covered by none is covered by another from now on, with all that it covers. */
    private void demote(Item item, Item by) {
        takeFromTop(item);
        for (Item each : item.below) {
            each.cover = by;
            by.below.add(each);
        }
        item.below.clear();
        by.waiting.addAll(item.waiting);
        item.waiting = new LinkedHashSet<>();
        if (item.wanted > 0) {
            item.cover = by;
            by.below.add(item);
        } else {
            merged--;
            items.remove(item.filter);
        }
    }

    private void takeFromTop(Item item) {
        item.top = false;
        topCount--;
        Set<Item> same = tops.get(item.filter.topic());
        same.remove(item);
        if (same.isEmpty()) {
            tops.remove(item.filter.topic());
        }
        changed.add(item);
    }

    /** @param subscription which is gone, or about to be */
    void remove(Subscription subscription) {
        Item item = items.get(subscription.filter);
        (item.top ? item : item.cover).waiting.remove(subscription);
        if (--item.wanted > 0) {
            return;
        }
        items.remove(item.filter);
        Item cover = item.cover;
        if (item.top) {
            takeFromTop(item);
            placeAgain(item);
        } else {
            cover.below.remove(item);
            dropIfEmpty(cover.filter);
        }
    }

    /** One that was merged is of no use without anything below. */
    private void dropIfEmpty(Filter filter) {
        Item item = items.get(filter);
        if (item != null && item.wanted == 0 && item.below.isEmpty()) {
            takeFromTop(item);
            items.remove(filter);
            merged--;
        }
    }

    /** Less than the most, or the next filter would have them merged again. */
    private int roomy() {
        return most - most / 4;
    }

    /** What stood below one that is gone; whoever waits for that one waits for what comes in its place. */
    private void placeAgain(Item gone) {
        List<Item> orphans = List.copyOf(gone.below);
        gone.below.clear();
        orphans.forEach(each -> each.cover = null);
        // Too many are merged before each is compared with all others.
        List<Filter> coarser = orphans.size() > most ? Merging.coarser(orphans.stream().map(each -> each.filter).toList(), roomy()) : List.of();
        coarser.forEach(this::merge);
        orphans.forEach(this::place);
        coarser.forEach(this::dropIfEmpty);
        for (Subscription waits : gone.waiting) {
            Item own = items.get(waits.filter);
            Item top = own.top ? own : own.cover;
            if (top.acknowledged) {
                arrived.accept(waits);
            } else {
                top.waiting.add(waits);
            }
        }
        gone.waiting = new LinkedHashSet<>();
    }

    /** Says what has changed. */
    void say(Sink sink) {
        if (topCount > most) {
            Merging.coarser(filters(), roomy()).forEach(this::merge);
        } else if (merged > 0 && items.size() - merged <= most / 2) {
            unmerge();
        }
        Set<Item> those = changed;
        changed = new LinkedHashSet<>();
        for (Item item : those) {
            if (item.top && item.number == 0) {
                item.number = ++lastNumber;
                said.put(item.number, item);
                sink.subscribe(item.number, item.filter);
            }
        }
        for (Item item : those) {
            if (!item.top && item.number != 0) {
                said.remove(item.number);
                sink.unsubscribe(item.number);
                item.number = 0;
                item.acknowledged = false;
            }
        }
    }

    private List<Filter> filters() {
        return tops.values().stream().flatMap(Set::stream).map(each -> each.filter).toList();
    }

    private void merge(Filter coarser) {
        // One that is wanted as it is may cover what was to be merged as well.
        if (!items.containsKey(coarser) && cover(coarser) == null) {
            Item item = new Item(coarser);
            items.put(coarser, item);
            merged++;
            place(item);
        }
    }

    private void unmerge() {
        for (Item item : tops.values().stream().flatMap(Set::stream).filter(each -> each.wanted == 0).toList()) {
            items.remove(item.filter);
            merged--;
            takeFromTop(item);
            placeAgain(item);
        }
    }

    /** The other side knows, and all behind it. */
    void acknowledged(int number) {
        Item item = said.get(number);
        if (item != null && !item.acknowledged) {
            item.acknowledged = true;
            release(item);
        }
    }

    /** The link is gone: nobody waits for it. */
    void close() {
        tops.values().stream().flatMap(Set::stream).toList().forEach(this::release);
    }

    private void release(Item item) {
        Set<Subscription> waited = item.waiting;
        item.waiting = new LinkedHashSet<>();
        waited.forEach(arrived);
    }
}
