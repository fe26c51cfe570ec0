package org.tamanoir.service.rule;

/**
 * The rules of one service on one node; from {@code ServiceContext.rules()}. A change takes effect within milliseconds, for open streams too.
 * All of them end with the service. Rules of the operator come before those of services; those of a service stand in the order in which
 * their names were put first. Safe for all threads.
 */
public interface LightRules {
    /**
     * Adds a rule, or puts it in place of the one with its name, whose counters go on; its meter begins anew if it is another one.
     *
     * @throws org.tamanoir.anep.AnepException EE-602 if the rule is for another Type ID than the service's own, EE-603 if the table is full
     */
    void put(LightRule rule);

    /** Removes a rule; returns whether there was one of that name. */
    boolean remove(String name);

    /** What a rule has seen; all 0 if there is none of that name. */
    RuleCounters counters(String name);
}
