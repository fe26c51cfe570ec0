package org.tamanoir.cluster.ipvs;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The kernel's table of virtual services, by ipvsadm(8). All of it is read by its lists, which hold counters and rates that procfs has not. */
final class Ipvsadm {
    static final String PACKAGE = "ipvsadm";
    private final SystemProgram tool;

    /** @throws AnepException EE-907 if it is not installed */
    Ipvsadm() {
        this(SystemProgram.find("ipvsadm", PACKAGE, ErrorCode.DIRECTOR_REFUSED));
    }

    Ipvsadm(SystemProgram tool) {
        this.tool = tool;
    }

    /** Weights and connections: {@code Masq 10 3 0} is the method, the weight, the active and the inactive ones. @throws AnepException EE-907 */
    IpvsTable table() {
        return list();
    }

    /** Since a real server is there: connections, packets in and out, octets in and out. @throws AnepException EE-907 */
    IpvsTable statistics() {
        return list("--stats");
    }

    /** The same, a second. @throws AnepException EE-907 */
    IpvsTable rates() {
        return list("--rate");
    }

    /** Takes a virtual service out with its real servers. @throws AnepException EE-907 */
    void delete(ServiceKey key) {
        run("--delete-service", key);
    }

    /** Takes a real server out of a virtual service. @throws AnepException EE-907 */
    void delete(ServiceKey key, InetSocketAddress server) {
        run("--delete-server", key, "--real-server", ServiceKey.end(server));
    }

    /**
     * Gives a real server a weight.
     *
     * @param method as the list has it: {@code Masq}, {@code Route} or {@code Tunnel}; without it ipvsadm would make it direct routing
     * @throws AnepException EE-907
     */
    void weight(ServiceKey key, InetSocketAddress server, int weight, String method) {
        String how = switch (method) {
            case "Masq" -> "--masquerading";
            case "Tunnel" -> "--ipip";
            default -> "--gatewaying";
        };
        run("--edit-server", key, "--real-server", ServiceKey.end(server), how, "--weight", Integer.toString(weight));
    }

    /**
     * Ends the kernel's synchronisation of connections if it is by this interface and identifier: a keepalived that was killed leaves it.
     *
     * @throws AnepException EE-907
     */
    void endSynchronisation(String networkInterface, int id) {
        String daemons = tool.run("--list", "--daemon");
        for (String role : List.of("master", "backup")) {
            if (daemons.lines().anyMatch(line -> line.startsWith(role + " sync daemon") && line.contains("mcast=" + networkInterface + ",")
                    && line.matches(".*syncid=" + id + "\\b.*"))) {
                tool.run("--stop-daemon", role);
            }
        }
    }

    private IpvsTable list(String... form) {
        List<String> arguments = new ArrayList<>(List.of("--list", "--numeric", "--exact"));
        arguments.addAll(Arrays.asList(form));
        return IpvsTable.parse(tool.run(null, arguments));
    }

    private void run(String command, ServiceKey key, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(key.arguments());
        arguments.addAll(Arrays.asList(more));
        tool.run(null, arguments);
    }
}
