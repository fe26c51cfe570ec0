package org.tamanoir.cluster.nft;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is in the table, as text of nft(8), and the transaction that leads from one content to another: only what differs is touched, counters and sets
 * that stay go on. No I/O.
 *
 * @param counters names of counters
 * @param sets     what each set is, by name; a set of a name never changes
 * @param chains   the rules of each chain by name, those of {@link #BASES} among them
 */
record TableContent(Set<String> counters, Map<String, String> sets, Map<String, List<String>> chains) {
    /** The table. Another process that has it is in the way: there is one director in a network namespace. */
    static final String TABLE = "inet tamanoir_cluster";
    /** Chains that the kernel calls, and where: just before the usual places, so that a virtual service is translated by this table and no other. */
    static final Map<String, String> BASES = Map.of(
            "arrive", "type nat hook prerouting priority dstnat - 1;",
            "leave", "type nat hook postrouting priority srcnat - 1;",
            "pass", "type filter hook forward priority mangle;",
            "refuse", "type filter hook input priority filter - 1;");
    /** A table without anything. */
    static final TableContent NONE = new TableContent(Set.of(), Map.of(), Map.of());

    TableContent {
        counters = new LinkedHashSet<>(counters);
        sets = new LinkedHashMap<>(sets);
        chains = new LinkedHashMap<>(chains);
    }

    /** Makes the table and its base chains; refused if another owner has it, or nobody. */
    static String create() {
        StringBuilder text = new StringBuilder("add table " + TABLE + " { flags owner;\n}\n");
        BASES.keySet().stream().sorted().forEach(base -> text.append("add chain ").append(TABLE).append(' ').append(base).append(" { ")
                .append(BASES.get(base)).append(" }\n"));
        return text.toString();
    }

    /** The commands that make this out of what was before, as one transaction; empty if nothing differs. */
    String since(TableContent before) {
        StringBuilder text = new StringBuilder();
        minus(counters, before.counters).forEach(name -> line(text, "add counter", name));
        minus(sets.keySet(), before.sets.keySet()).forEach(name -> line(text, "add set", name + " { " + sets.get(name) + " }"));
        // Empty first: nft(8) does not take a jump to a chain that it has not seen.
        minus(minus(chains.keySet(), before.chains.keySet()), BASES.keySet()).forEach(name -> line(text, "add chain", name));
        before.chains.forEach((name, rules) -> {
            if (!rules.isEmpty() && !rules.equals(chains.get(name))) {
                line(text, "flush chain", name);
            }
        });
        chains.forEach((name, rules) -> {
            if (!rules.equals(before.chains.get(name))) {
                rules.forEach(rule -> line(text, "add rule", name + " " + rule));
            }
        });
        minus(minus(before.chains.keySet(), chains.keySet()), BASES.keySet()).forEach(name -> line(text, "delete chain", name));
        minus(before.sets.keySet(), sets.keySet()).forEach(name -> line(text, "delete set", name));
        minus(before.counters, counters).forEach(name -> line(text, "delete counter", name));
        return text.toString();
    }

    private static void line(StringBuilder text, String command, String what) {
        text.append(command).append(' ').append(TABLE).append(' ').append(what).append('\n');
    }

    private static Set<String> minus(Set<String> some, Set<String> others) {
        Set<String> rest = new LinkedHashSet<>(some);
        rest.removeAll(others);
        return rest;
    }
}
