package org.tamanoir.cluster.ipvs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.membership.Welcome.Method;

/** Plans for tests, in one line each. */
final class Plans {
    private Plans() {
    }

    /**
     * A plan: words separated by spaces, each {@code TRANSPORT,ADDRESS,PORT,METHOD,SCHEDULER,PERSISTENCE} and for each back end
     * {@code ,NAME=ADDRESS/PORT/WEIGHT/HEALTH}. Seconds of persistence; {@code -} is the empty plan.
     */
    static Plan parse(String line) {
        List<VirtualService> services = new ArrayList<>();
        for (String word : line.equals("-") ? new String[0] : line.split(" ")) {
            String[] parts = word.split(",");
            List<RealServer> servers = new ArrayList<>();
            for (int i = 6; i < parts.length; i++) {
                String[] server = parts[i].split("[=/]");
                servers.add(new RealServer(server[0], address(server[1]), Integer.parseInt(server[2]), Integer.parseInt(server[3]),
                        Integer.parseInt(server[4])));
            }
            services.add(new VirtualService("default", address(parts[1]), Integer.parseInt(parts[2]), Transport.valueOf(parts[0]),
                    Method.valueOf(parts[3]), Scheduler.valueOf(parts[4]), Duration.ofSeconds(Long.parseLong(parts[5])), servers));
        }
        return new Plan(services);
    }

    static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(literal, e);
        }
    }
}
