package org.tamanoir.benchmarks.survive;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.survive.SurvivePlan.Place;
import org.tamanoir.benchmarks.survive.SurvivePlan.Way;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/** A client, two nodes that a session may begin at, two that they have as next hops, and a server, on one switch. */
final class SurviveSite implements AutoCloseable {
    private static final int NODE = 3322;
    private static final int ENDPOINT = 3330;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Lab lab;
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<Member> members = new ArrayList<>();
    private final List<AutoCloseable> servers = new ArrayList<>();
    final Port client;
    final Port server;

    /** A node and its machine. */
    final class Member {
        private final Port port;
        private final Place place;
        private final Path folder;
        private final String yaml;
        private NodeProcess node;

        Member(Port port, Place place, Path folder, String yaml) {
            this.port = port;
            this.place = place;
            this.folder = folder;
            this.yaml = yaml;
            node = NodeProcess.start(port.host(), folder, yaml);
        }

        private boolean carries() {
            return node.isAlive() && node.get("/streams").path("streams").size() > 0;
        }

        void lose(Way way) {
            switch (way) {
                case KILL -> node.kill();
                case STOP -> signal("STOP");
                case GONE -> port.host().ip("link", "set", "dev", port.name(), "down");
            }
        }

        private void signal(String which) {
            Command.run(List.of("kill", "-" + which, String.valueOf(node.pid())));
        }

        /** It is there again, and takes streams. */
        void bringBack(Way way) {
            switch (way) {
                case KILL -> node = NodeProcess.start(port.host(), folder, yaml);
                case STOP -> signal("CONT");
                case GONE -> port.host().ip("link", "set", "dev", port.name(), "up");
            }
        }
    }

    /** @param service that every node gets before the first stream */
    SurviveSite(String service) {
        lab = Lab.open();
        try {
            Bridge bridge = lab.bridge(lab.host("switch"), LinkOptions.DEFAULT);
            client = bridge.join(lab.host("client"));
            server = bridge.join(lab.host("server"));
            List<Port> firsts = List.of(bridge.join(lab.host("first1")), bridge.join(lab.host("first2")));
            List<Port> seconds = List.of(bridge.join(lab.host("second1")), bridge.join(lab.host("second2")));
            for (Port port : List.of(client, server)) {
                port.host().run("tc", "qdisc", "replace", "dev", port.name(), "root", "tbf", "rate", SurvivePlan.RATE, "burst", "128kb", "latency", "50ms");
            }
            String to = server.ipv4().getHostAddress() + "/32";
            for (Port port : seconds) {
                members.add(member(port, Place.SECOND, "{'" + to + "': direct}"));
            }
            for (Port port : firsts) {
                members.add(member(port, Place.FIRST, "{'" + to + "': '" + at(seconds.get(0)) + ", " + at(seconds.get(1)) + "'}"));
            }
            members.forEach(member -> member.node.deploy(CommandLineTool.bundle(service)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Member member(Port port, Place place, String routes) {
        return new Member(port, place, files.folder(port.host().name()), "listen: '0.0.0.0:" + NODE + "'\nkernel: {use: off}\nroutes: " + routes + "\n");
    }

    private static String at(Port port) {
        return port.ipv4().getHostAddress() + ":" + NODE;
    }

    /** Waits until the server takes connections. */
    void awaitServer(int port) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                server.host().inside(() -> {
                    new Socket("127.0.0.1", port).close();
                    return null;
                });
                return;
            } catch (Exception e) {
                if (System.nanoTime() > end) {
                    throw new LabException("nothing listens on port " + port + " of the server", e);
                }
                Pause.millis(50);
            }
        }
    }

    /** Closes it with the site. */
    <T extends AutoCloseable> T closing(T server) {
        servers.add(server);
        return server;
    }

    Path folder(String name) {
        return files.folder(name);
    }

    /** The node at a place that carries streams just now. */
    Member carrier(Place place) {
        return members.stream().filter(member -> member.place == place && member.carries()).findFirst()
                .orElseThrow(() -> new LabException("no " + place + " node carries a stream"));
    }

    /** Waits until each first node has both its next hops again. */
    void settle() {
        for (Member member : members) {
            if (member.place == Place.FIRST) {
                member.node.await("/routes", PATIENCE, routes -> {
                    boolean all = routes.path("hops").size() == 2;
                    for (var hop : routes.path("hops")) {
                        all &= hop.path("state").asText().equals("up");
                    }
                    return all;
                });
            }
        }
    }

    /** An endpoint beside a server, and a gateway beside a program. @return where the program connects, on loopback of the client, and where the gateway has its status */
    Doors doors(int serverPort, String service) {
        LabProcess endpoint = server.host().start("endpoint", CommandLineTool.command("endpoint", "--drain", "0", "--listen",
                server.ipv4().getHostAddress() + ":" + ENDPOINT, "--to", "127.0.0.1:" + serverPort));
        endpoint.awaitLine("READY endpoint ", PATIENCE);
        int status = 7001;
        List<String> arguments = new ArrayList<>(List.of("gateway", "--resume", "--drain", "0", "--check", "0", "--listen", "127.0.0.1:7000", "--status", "127.0.0.1:" + status,
                "--to", server.ipv4().getHostAddress() + ":" + ENDPOINT, "--service", service));
        members.stream().filter(member -> member.place == Place.FIRST).forEach(member -> arguments.addAll(List.of("--via", at(member.port))));
        LabProcess gateway = client.host().start("gateway", CommandLineTool.command(arguments.toArray(String[]::new)));
        gateway.awaitLine("READY gateway ", PATIENCE);
        Pause.millis(200);
        return new Doors(new InetSocketAddress("127.0.0.1", 7000), "http://127.0.0.1:" + status + "/status", endpoint, gateway);
    }

    /** Both ends of the sessions of one program. */
    record Doors(InetSocketAddress gateway, String status, LabProcess endpoint, LabProcess gatewayProcess) implements AutoCloseable {
        @Override
        public void close() {
            gatewayProcess.close();
            endpoint.close();
        }
    }

    @Override
    public void close() {
        for (AutoCloseable each : servers) {
            try {
                each.close();
            } catch (Exception e) {
                throw new LabException("a server does not end", e);
            }
        }
        lab.close();
        files.close();
    }
}
