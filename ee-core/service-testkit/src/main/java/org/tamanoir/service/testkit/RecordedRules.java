package org.tamanoir.service.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.rule.RuleCounters;

/** Keeps the rules that a service puts, for a test to look at; no packet is run through them, so every counter is 0. */
public final class RecordedRules implements LightRules {
    private final Map<String, LightRule> rules = new LinkedHashMap<>();

    @Override
    public synchronized void put(LightRule rule) {
        rules.put(rule.name(), rule);
    }

    @Override
    public synchronized boolean remove(String name) {
        return rules.remove(name) != null;
    }

    @Override
    public RuleCounters counters(String name) {
        return RuleCounters.NONE;
    }

    /** The rules, in the order in which their names were put first. */
    public synchronized List<LightRule> all() {
        return new ArrayList<>(rules.values());
    }
}
