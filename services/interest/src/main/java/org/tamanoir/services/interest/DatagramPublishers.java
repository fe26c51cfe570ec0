package org.tamanoir.services.interest;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.services.interest.tree.GroupDrops;
import org.tamanoir.services.interest.tree.WantedGroups;

/** Those who publish in a space by datagrams, and the rules that drop below what nobody wants of them. All of it holding the space. */
final class DatagramPublishers {
    /** Publishers whose datagrams are all dropped look as if they had gone. While there are rules they count as there for so long after the last one, and after anything was dropped. */
    private static final long LINGER = Duration.ofMinutes(1).toNanos();

    private final Set<DatagramPublisher> publishers = new LinkedHashSet<>();
    private final boolean useful;
    private final LightDrops rules;
    private final GroupDrops drops;
    /** When those are forgotten of whom nothing comes up. */
    private long until;
    private long droppedBefore;

    DatagramPublishers(WantedGroups wanted, LightRules rules, Counters counters, int mostRules, long now) {
        this.useful = mostRules > 0;
        this.rules = new LightDrops(rules, counters, mostRules, group -> publishers().forEach(each -> each.forget(group)));
        this.drops = new GroupDrops(wanted, this.rules);
        this.until = now;
    }

    private Set<DatagramPublisher> publishers() {
        return publishers;
    }

    void add(DatagramPublisher publisher, long now) {
        publishers.add(publisher);
        if (rules.named(publisher.codes())) {
            drops.restart(now);
        }
    }

    void remove(DatagramPublisher publisher, long now) {
        if (publishers.remove(publisher) && publishers.isEmpty()) {
            until = rules.size() > 0 ? now + LINGER : now;
        }
    }

    /** Those that are there are told with their next datagram, and count no more. */
    void refuse(AnepException why) {
        publishers.forEach(each -> each.refuse(why));
        publishers.clear();
    }

    int size() {
        return publishers.size();
    }

    /** Whether nobody publishes any more. */
    boolean isQuiet(long now) {
        return publishers.isEmpty() && until - now <= 0;
    }

    /** Something has changed, and nobody has been told yet. @param informed whether all that is wanted in the space is known here */
    void turn(long now, boolean informed) {
        drops.lift(now, useful && informed && !isQuiet(now));
    }

    /** When {@link #tick} has something to do, or {@code Long.MAX_VALUE}. */
    long due() {
        return drops.due();
    }

    void tick(long now) {
        drops.tick(now);
    }

    /** Looks whether rules still drop something: then somebody publishes. */
    void follow(long now) {
        long dropped = rules.dropped();
        if (publishers.isEmpty() && dropped > droppedBefore) {
            until = now + LINGER;
        }
        droppedBefore = dropped;
    }

    /** Datagrams that rules in force have dropped. */
    long droppedNow() {
        return rules.droppedNow();
    }

    /** For operators. */
    void show(Map<String, Object> shown) {
        shown.put("publishersByDatagrams", publishers.size());
        shown.put("dropRules", rules.size());
        if (rules.problem() != null) {
            shown.put("dropRulesProblem", rules.problem());
        }
        shown.put("droppedBelow", rules.dropped());
    }
}
