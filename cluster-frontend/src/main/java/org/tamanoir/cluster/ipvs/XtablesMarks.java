package org.tamanoir.cluster.ipvs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan.VirtualService;

/**
 * Marks by iptables(8), for kernels with IPVS and without nftables for IP: a chain of our own in the table {@code mangle}, and a jump to it. A comment in the
 * chain says whose it is.
 */
final class XtablesMarks {
    static final String CHAIN = "TAMANOIR_CLUSTER";
    private static final List<String> JUMP = List.of("PREROUTING", "-j", CHAIN);

    private final String prefix;
    private SystemProgram tool;

    /** @param family {@code ip} or {@code ip6} */
    XtablesMarks(String family) {
        prefix = family.equals("ip") ? "iptables-legacy" : "ip6tables-legacy";
    }

    /** The chain, if there is one. */
    SystemProgram.Ran list() {
        return tool().tryRun(null, command("-S", List.of(CHAIN)));
    }

    /** Replaces the chain, in one step, and sees to the jump. @throws org.tamanoir.anep.AnepException EE-907 */
    void replace(List<Director.Service> services, String family, String owner) {
        SystemProgram.find(prefix + "-restore", "iptables", ErrorCode.DIRECTOR_REFUSED).run(text(services, family, owner), List.of("--noflush", "--wait"));
        if (!jumps()) {
            tool().run(null, command("-A", JUMP));
        }
    }

    boolean jumps() {
        return tool().tryRun(null, command("-C", JUMP)).exit() == 0;
    }

    void remove() {
        if (jumps()) {
            tool().run(null, command("-D", JUMP));
        }
        tool().run(null, command("-F", List.of(CHAIN)));
        tool().run(null, command("-X", List.of(CHAIN)));
    }

    /** For iptables-restore(8), which empties the chains that it declares. */
    static String text(List<Director.Service> services, String family, String owner) {
        StringBuilder text = new StringBuilder("*mangle\n:" + CHAIN + " - [0:0]\n-A " + CHAIN + " -m comment --comment \"" + MarkTable.comment(owner) + "\"\n");
        for (Director.Service service : services) {
            if (service.key().isMark() && MarkTable.family(service.key()).equals(family)) {
                for (VirtualService each : service.carries()) {
                    text.append("-A ").append(CHAIN).append(" -d ").append(each.address().getHostAddress()).append(" -p ")
                            .append(each.transport().name().toLowerCase(Locale.ROOT)).append(" --dport ").append(each.port())
                            .append(" -j MARK --set-mark ").append(service.key().mark()).append('\n');
                }
            }
        }
        return text.append("COMMIT\n").toString();
    }

    private static List<String> command(String what, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("--wait", "-t", "mangle", what));
        command.addAll(arguments);
        return command;
    }

    private SystemProgram tool() {
        if (tool == null) {
            tool = SystemProgram.find(prefix, "iptables", ErrorCode.DIRECTOR_REFUSED);
        }
        return tool;
    }
}
