package org.tamanoir.node.offload;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.rule.RuleCounters;

/**
 * The rules of one version of a service. They are in force while new streams get this version; a version that comes after it takes over
 * the counters of the rules that both have.
 */
public final class ServiceRules implements LightRules {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceRules.class);

    private final RuleTable table;
    private final String service;
    private final int typeId;
    private final Map<String, LightRule> rules = new LinkedHashMap<>();
    private boolean inForce;

    /** @param typeId the service's own: its rules are for no other */
    public ServiceRules(RuleTable table, String service, int typeId) {
        this.table = table;
        this.service = service;
        this.typeId = typeId;
    }

    @Override
    public synchronized void put(LightRule rule) {
        if (rule.match().typeId() == null || rule.match().typeId() != typeId) {
            throw new AnepException(ErrorCode.BAD_RULE, "rule " + rule.name() + " of " + service + " is not for " + Anep.typeName(typeId)
                    + ", the Type ID of its service");
        }
        if (inForce) {
            table.put(service, rule);
        }
        rules.put(rule.name(), rule);
    }

    @Override
    public synchronized boolean remove(String name) {
        if (inForce) {
            table.remove(service, name);
        }
        return rules.remove(name) != null;
    }

    @Override
    public RuleCounters counters(String name) {
        return table.counters(service, name);
    }

    /**
     * New streams get this version.
     *
     * @param before the rules of the version until now, or null
     */
    void enforce(ServiceRules before) {
        Set<String> names;
        synchronized (this) {
            inForce = true;
            rules.values().forEach(this::putInForce);
            names = Set.copyOf(rules.keySet());
        }
        if (before != null && before != this) {
            before.retire(names);
        }
    }

    /** A rule for which there is no room costs itself alone: the service's handler does its work. */
    private void putInForce(LightRule rule) {
        try {
            table.put(service, rule);
        } catch (AnepException e) {
            LOG.warn("rule {} of {} is not in force: {}", rule.name(), service, e.getMessage());
        }
    }

    /**
     * New streams do not get it any more.
     *
     * @param taken names of rules that another version has now
     */
    synchronized void retire(Set<String> taken) {
        if (inForce) {
            inForce = false;
            rules.keySet().stream().filter(name -> !taken.contains(name)).forEach(name -> table.remove(service, name));
        }
    }
}
