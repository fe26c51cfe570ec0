package org.tamanoir.cluster.nft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.kernel.Nftables;

/** Whether the nft engine can run here. */
public final class Nft {
    private static final Path FORWARD4 = Path.of("/proc/sys/net/ipv4/ip_forward");
    private static final Path FORWARD6 = Path.of("/proc/sys/net/ipv6/conf/all/forwarding");

    private Nft() {
    }

    /**
     * Looks at this kernel and what this process may do, in the network namespace of the thread that calls: tries what the engine needs in a table of
     * its own and takes it away again.
     *
     * @return why it cannot run, with the remedy; empty if it can
     */
    public static Optional<String> check() {
        Optional<String> missing = Nftables.missing().or(Conntrack::missing);
        if (missing.isPresent()) {
            return missing;
        }
        try (Nftables nft = Nftables.open()) {
            String table = "inet tamanoir_try_" + ProcessHandle.current().pid();
            nft.run("add table " + table + " { flags owner;\n}\nadd chain " + table + " a { type nat hook prerouting priority dstnat; }\nadd chain " + table
                    + " b\nadd set " + table + " s { type ipv4_addr; flags dynamic,timeout; timeout 1s; size 2; }\nadd rule " + table
                    + " b meta l4proto tcp update @s { ip saddr timeout 1s } dnat ip to 192.0.2.1:1\nadd rule " + table
                    + " a ip daddr 192.0.2.2 jhash ip saddr mod 2 seed 0x1 vmap { 0 : goto b, 1 : goto b }\n"
                    + "delete table " + table + "\n");
            Conntrack.count();
            return Optional.empty();
        } catch (AnepException e) {
            return Optional.of("the kernel lacks what the nft engine needs (Linux 5.12 or later with CONFIG_NF_TABLES_INET, CONFIG_NFT_NAT, CONFIG_NFT_HASH and "
                    + "CONFIG_NF_CT_NETLINK has it): " + e.text());
        }
    }

    /** @throws AnepException EE-907 if this host does not forward what the plan needs; nothing is changed: forwarding is a matter of the whole host */
    static void checkForwarding(Plan plan) {
        if (plan.services().stream().anyMatch(service -> RuleNames.family(service.address()).equals("ip")) && !on(FORWARD4)) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "IPv4 forwarding is off, so nothing gets to the back ends: sysctl -w net.ipv4.ip_forward=1");
        }
        if (plan.services().stream().anyMatch(service -> RuleNames.family(service.address()).equals("ip6")) && !on(FORWARD6)) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "IPv6 forwarding is off, so nothing gets to the back ends: sysctl -w "
                    + "net.ipv6.conf.all.forwarding=1");
        }
    }

    private static boolean on(Path setting) {
        try {
            return !Files.readString(setting).strip().equals("0");
        } catch (IOException e) {
            return false;
        }
    }
}
