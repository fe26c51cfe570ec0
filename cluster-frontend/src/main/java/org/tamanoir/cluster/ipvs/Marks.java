package org.tamanoir.cluster.ipvs;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Keeps the table of {@link MarkTable} in the kernel, by nft(8), while there are services that need it. Not safe for several threads. */
final class Marks {
    private final String owner;
    private final List<String> list = List.of("list", "table", "inet", MarkTable.NAME);
    private Tool nft;

    /** @param owner 16 hexadecimal digits that tell this engine's table from another's */
    Marks(String owner) {
        this.owner = owner;
    }

    /** @throws AnepException EE-906 if these services need a table and another program has one of its name; EE-907 if nft is missing */
    void check(List<Director.Service> services) {
        if (needed(services)) {
            present();
        }
    }

    /** Makes the kernel's table that of these services. @throws AnepException EE-906, or EE-907 with what nft says */
    void set(List<Director.Service> services) {
        if (needed(services)) {
            present();
            nft().run(MarkTable.replace(services, owner), List.of("-f", "-"));
        } else {
            remove();
        }
    }

    /** Puts the table back if these services need it and somebody has taken it away, such as a firewall that begins with {@code flush ruleset}. */
    boolean repair(List<Director.Service> services) {
        if (!needed(services) || present()) {
            return false;
        }
        set(services);
        return true;
    }

    /** Takes the table away if it is ours. */
    void remove() {
        if (Tool.find(Tool.directories(), "nft").isPresent() && ours(nft().tryRun(null, list))) {
            nft().run(MarkTable.remove(), List.of("-f", "-"));
        }
    }

    private static boolean needed(List<Director.Service> services) {
        return services.stream().anyMatch(service -> service.key().isMark());
    }

    private boolean present() {
        Tool.Ran ran = nft().tryRun(null, list);
        if (ran.exit() == 0 && !ours(ran)) {
            throw new AnepException(ErrorCode.CLUSTER_FOREIGN, "there is a table inet " + MarkTable.NAME + " of nftables that this front-end has not made: "
                    + "another front-end runs here, or it is left over (nft delete table inet " + MarkTable.NAME + ")");
        }
        return ran.exit() == 0;
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
