package org.tamanoir.fleet.rollout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.state.RolloutRules;

/**
 * One roll-out that goes on: when its next ring begins, and when it stops. Times are milliseconds of one clock that does not go back, and are those at which
 * reports came; what a node thinks the time is plays no part. After a restart of the server a ring soaks from the start: longer than asked for, never shorter.
 */
public final class Rollout {
    private static final int MOST_NAMED = 5;

    /** What is to be done. */
    public sealed interface Decision permits Next, Stop, Done {
    }

    /** The next ring begins. */
    public record Next() implements Decision {
    }

    /** No further ring begins. */
    public record Stop(String why) implements Decision {
    }

    /** Every ring has what it is to have, and is healthy. */
    public record Done() implements Decision {
    }

    private final List<List<String>> rings;
    private final Function<String, String> wanted;
    private final RolloutRules rules;
    private final Map<String, Long> goodSince = new HashMap<>();
    private final Map<String, Long> badSince = new HashMap<>();
    /** When each ring has begun, as far as this knows. */
    private final List<Long> began = new ArrayList<>();
    private int ring;

    /**
     * @param rings  nodes whose part changes, by ring
     * @param wanted the digest of the part of each
     * @param ring   that has begun last
     */
    Rollout(List<List<String>> rings, Function<String, String> wanted, RolloutRules rules, int ring, long now) {
        this.rings = rings;
        this.wanted = wanted;
        this.rules = rules;
        rings.forEach(each -> began.add(now));
        this.ring = ring;
    }

    /** The next ring has begun. */
    void next(int begun, long now) {
        ring = begun;
        began.set(ring, now);
    }

    /** A node has reported. */
    void report(String node, Heard heard, long now) {
        if (!has(heard.report(), node)) {
            goodSince.remove(node);
            badSince.remove(node);
        } else if (rules.problem(heard.report().health()) == null) {
            goodSince.putIfAbsent(node, now);
            badSince.remove(node);
        } else {
            goodSince.remove(node);
            badSince.putIfAbsent(node, now);
        }
    }

    private boolean has(NodeReport report, String node) {
        return wanted.apply(node).equals(report.sha256());
    }

    /** @return null for nothing to be done */
    Decision look(long now, Map<String, Heard> heard) {
        Map<String, String> unhealthy = new LinkedHashMap<>();
        for (int i = 0; i <= ring && i < rings.size(); i++) {
            for (String node : rings.get(i)) {
                Heard last = heard.get(node);
                String refusal = refusal(node, last);
                if (refusal != null) {
                    return new Stop(node + " refuses it: " + refusal);
                }
                String problem = problem(node, last, began.get(i), now);
                if (problem != null) {
                    unhealthy.put(node, problem);
                }
            }
        }
        if (unhealthy.size() > rules.maxUnhealthy()) {
            return new Stop(named(unhealthy));
        }
        if (ring >= rings.size()) {
            return new Done();
        }
        long good = rings.get(ring).stream().filter(node -> isSoaked(node, now)).count();
        if (good < rules.enough(rings.get(ring).size())) {
            return null;
        }
        return ring + 1 < rings.size() ? new Next() : new Done();
    }

    private boolean isSoaked(String node, long now) {
        Long since = goodSince.get(node);
        return since != null && now - since >= rules.soak().toMillis();
    }

    private String refusal(String node, Heard last) {
        return last == null || last.report().refusal() == null || !wanted.apply(node).equals(last.report().refusal().sha256()) ? null
                : last.report().refusal().code() + " " + last.report().refusal().message();
    }

    /** Why a node counts as unhealthy; null if it does not. */
    private String problem(String node, Heard last, long ringBegan, long now) {
        if (last == null || !has(last.report(), node)) {
            return now - ringBegan < rules.patience().toMillis() ? null
                    : "it has not reported that it has it for " + (now - ringBegan) / 1000 + " s";
        }
        long silence = now - last.at();
        if (silence > rules.silent().toMillis()) {
            goodSince.remove(node);
            return "it has not been heard of for " + silence / 1000 + " s";
        }
        Long since = badSince.get(node);
        return since == null || now - since < rules.grace().toMillis() ? null : rules.problem(last.report().health());
    }

    private static String named(Map<String, String> unhealthy) {
        List<String> sentences = unhealthy.entrySet().stream().limit(MOST_NAMED).map(each -> each.getKey() + ": " + each.getValue()).toList();
        int more = unhealthy.size() - sentences.size();
        return String.join(". ", sentences) + (more > 0 ? ". And " + more + " more" : "");
    }
}
