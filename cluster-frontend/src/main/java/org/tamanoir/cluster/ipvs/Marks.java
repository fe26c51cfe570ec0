package org.tamanoir.cluster.ipvs;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Keeps the tables of {@link MarkTable} in the kernel, by nft(8), while there are services that need them. Not safe for several threads. */
final class Marks {
    private final String owner;
    private Tool nft;

    /** @param owner 16 hexadecimal digits that tell this engine's tables from another's */
    Marks(String owner) {
        this.owner = owner;
    }

    /** @throws AnepException EE-906 if these services need a table and another program has one of its name; EE-907 if nft is missing */
    void check(List<Director.Service> services) {
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family)) {
                present(family);
            }
        }
    }

    /** Makes the kernel's tables those of these services. @throws AnepException EE-906, or EE-907 with what nft says */
    void set(List<Director.Service> services) {
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family)) {
                present(family);
                nft().run(MarkTable.replace(services, family, owner), List.of("-f", "-"));
            } else {
                remove(family);
            }
        }
    }

    /** Puts tables back that these services need and somebody has taken away, such as a firewall that begins with {@code flush ruleset}. */
    boolean repair(List<Director.Service> services) {
        boolean repaired = false;
        for (String family : MarkTable.FAMILIES) {
            if (MarkTable.needed(services, family) && !present(family)) {
                nft().run(MarkTable.replace(services, family, owner), List.of("-f", "-"));
                repaired = true;
            }
        }
        return repaired;
    }

    /** Takes the tables away that are ours. @throws AnepException EE-907 */
    void remove() {
        MarkTable.FAMILIES.forEach(this::remove);
    }

    private void remove(String family) {
        if (Tool.find(Tool.directories(), "nft").isPresent() && ours(list(family))) {
            nft().run(MarkTable.remove(family), List.of("-f", "-"));
        }
    }

    private boolean present(String family) {
        Tool.Ran ran = list(family);
        if (ran.exit() == 0 && !ours(ran)) {
            throw new AnepException(ErrorCode.CLUSTER_FOREIGN, "there is a table " + family + " " + MarkTable.NAME + " of nftables that this front-end has not "
                    + "made: another front-end runs here, or it is left over (nft delete table " + family + " " + MarkTable.NAME + ")");
        }
        return ran.exit() == 0;
    }

    private Tool.Ran list(String family) {
        return nft().tryRun(null, List.of("list", "table", family, MarkTable.NAME));
    }

    private boolean ours(Tool.Ran listed) {
        return listed.exit() == 0 && listed.output().contains("\"" + MarkTable.comment(owner) + "\"");
    }

    private Tool nft() {
        if (nft == null) {
            nft = Tool.find("nft", "nftables", ErrorCode.DIRECTOR_REFUSED);
        }
        return nft;
    }
}
