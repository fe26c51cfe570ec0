package org.tamanoir.cluster.ipvs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Keeps firewall marks in the kernel while there are services that need them: by nft(8) with the tables of {@link MarkTable}, or where the kernel has no
 * nftables for a family by {@link XtablesMarks}. Not safe for several threads.
 */
final class FirewallMarks {
    private static final Logger LOG = LoggerFactory.getLogger(FirewallMarks.class);

    private final String owner;
    private final Map<String, Optional<XtablesMarks>> xtables = new HashMap<>();
    private SystemProgram nft;

    /** @param owner 16 hexadecimal digits that tell this engine's tables from another's */
    FirewallMarks(String owner) {
        this.owner = owner;
    }

    /** @throws AnepException EE-906 if these services need a table and another program has one of its name; EE-907 if a program is missing */
    void check(List<Director.Service> services) {
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family)) {
                present(family);
            }
        }
    }

    /**
     * Makes the kernel's tables those of these services.
     *
     * @param owned services that may have had marks: no others are looked for
     * @throws AnepException EE-906, or EE-907 with what the program says
     */
    void set(List<Director.Service> services, Set<ServiceKey> owned) {
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family)) {
                present(family);
                replace(services, family);
            } else {
                remove(family, owned);
            }
        }
    }

    /** Puts tables back that these services need and somebody has taken away, such as a firewall that begins with {@code flush ruleset}. */
    boolean repair(List<Director.Service> services) {
        boolean repaired = false;
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family) && !present(family)) {
                replace(services, family);
                repaired = true;
            }
        }
        return repaired;
    }

    /** Takes away what is ours. @param owned as above @throws AnepException EE-907 */
    void remove(Set<ServiceKey> owned) {
        MarkTable.FAMILIES.forEach(family -> remove(family, owned));
    }

    private void replace(List<Director.Service> services, String family) {
        XtablesMarks old = xtables(family);
        if (old != null) {
            old.replace(services, family, owner);
        } else {
            nft().run(MarkTable.replace(services, family, owner), List.of("-f", "-"));
        }
    }

    private void remove(String family, Set<ServiceKey> owned) {
        if (owned.stream().noneMatch(key -> key.isMark() && MarkTable.family(key).equals(family))) {
            return;
        }
        XtablesMarks old = xtables(family);
        if (old == null ? ours(list(family)) : ours(old.list())) {
            if (old != null) {
                old.remove();
            } else {
                nft().run(MarkTable.remove(family), List.of("-f", "-"));
            }
        }
    }

    private boolean present(String family) {
        XtablesMarks old = xtables(family);
        SystemProgram.Ran ran = old == null ? list(family) : old.list();
        if (ran.exit() == 0 && !ours(ran)) {
            throw new AnepException(ErrorCode.CLUSTER_FOREIGN, old == null ? "there is a table " + family + " " + MarkTable.NAME + " of nftables that this "
                    + "front-end has not made: another front-end runs here, or it is left over (nft delete table " + family + " " + MarkTable.NAME + ")"
                    : "there is a chain " + XtablesMarks.CHAIN + " of iptables' table mangle that this front-end has not made");
        }
        return ran.exit() == 0 && (old == null || old.jumps());
    }

    /** The other way, if nftables cannot do this family; null if it can. */
    private XtablesMarks xtables(String family) {
        return xtables.computeIfAbsent(family, name -> {
            // A transaction that is not carried out: nft looks whether it could be.
            SystemProgram.Ran ran = nft().tryRun("add table " + name + " " + MarkTable.NAME + "_probe\n", List.of("--check", "-f", "-"));
            if (ran.exit() == 0) {
                return Optional.empty();
            }
            LOG.info("nftables cannot set marks of the family {} here ({}); iptables does", name, ran.said());
            return Optional.of(new XtablesMarks(name));
        }).orElse(null);
    }

    private SystemProgram.Ran list(String family) {
        return nft().tryRun(null, List.of("list", "table", family, MarkTable.NAME));
    }

    private boolean ours(SystemProgram.Ran listed) {
        return listed.exit() == 0 && listed.output().contains("\"" + MarkTable.comment(owner) + "\"");
    }

    private SystemProgram nft() {
        if (nft == null) {
            nft = SystemProgram.find("nft", "nftables", ErrorCode.DIRECTOR_REFUSED);
        }
        return nft;
    }
}
