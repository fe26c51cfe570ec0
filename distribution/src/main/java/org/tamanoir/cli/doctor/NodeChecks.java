package org.tamanoir.cli.doctor;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.deploy.RepositoryAddress;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.routing.NextHop;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.tuning.TuneRule;
import org.tamanoir.trust.Trust;

/** What the configuration of a node wants, and whether it can have it here and now. */
public final class NodeChecks {
    private static final int PATIENCE_MILLIS = 3_000;
    private static final Duration SOON = Duration.ofDays(30);
    private static final long LITTLE = 1L << 30;
    private static final long TOO_LITTLE = 64L << 20;

    private final NodeConfiguration node;

    public NodeChecks(NodeConfiguration node) {
        this.node = node;
    }

    public List<Finding> look() {
        List<Finding> findings = new ArrayList<>(ports());
        findings.add(disk());
        findings.addAll(files());
        findings.addAll(others());
        return findings;
    }

    /** Keys and certificates that the configuration names. */
    public List<Finding> files() {
        List<Finding> findings = new ArrayList<>(trust());
        findings.addAll(tls());
        findings.addAll(tuning());
        return findings;
    }

    /** What the rules for connections ask of the kernel. */
    private List<Finding> tuning() {
        List<Finding> findings = new ArrayList<>();
        for (TuneRule rule : node.tune()) {
            String what = "rule " + rule.name() + " (" + rule.tuning() + ")";
            String problem = node.io().equals("nio") ? "connections are not tuned with io: nio" : rule.tuning().problem();
            if (problem != null) {
                findings.add(Finding.wrong("tuning", what + ": " + ErrorCode.NOT_TUNABLE + " " + problem, "docs/tuning.md says what each preset needs; until then its streams run as before"));
            } else if (rule.tuning().congestion() != null && !allowed().contains(rule.tuning().congestion())) {
                findings.add(Finding.warn("tuning", what + " works for a privileged user alone", "add " + rule.tuning().congestion() + " to net.ipv4.tcp_allowed_congestion_control"));
            } else {
                findings.add(Finding.ok("tuning", what + " is what this kernel does"));
            }
        }
        return findings;
    }

    /** What this kernel allows to everybody. */
    private static List<String> allowed() {
        try {
            return List.of(Files.readString(Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control")).strip().split(" "));
        } catch (IOException e) {
            return List.of();
        }
    }

    private boolean isRunning() {
        Path socket = NodeConfiguration.adminSocket(node.dataDirectory());
        if (!Files.exists(socket)) {
            return false;
        }
        try {
            HttpFetch.of("unix:" + socket, ErrorCode.UNREACHABLE).timeout(Duration.ofMillis(PATIENCE_MILLIS)).json("/health");
            return true;
        } catch (AnepException e) {
            // Of a node that has ended by force, or that answers 503: the second runs.
            return e.code() != ErrorCode.UNREACHABLE;
        }
    }

    private List<Finding> ports() {
        if (isRunning()) {
            return List.of(Finding.ok("ports", "the node runs and has its ports"));
        }
        Map<String, InetSocketAddress> tcp = new LinkedHashMap<>();
        tcp.put("streams", node.listen());
        tcp.put("the code server", node.codeAddress());
        tcp.put("light streams", node.lightAddress());
        tcp.put("the admin API", node.admin());
        List<Finding> findings = new ArrayList<>();
        tcp.forEach((what, address) -> {
            if (address != null && address.getPort() != 0) {
                findings.add(port(what, address, "tcp"));
            }
        });
        if (node.listen().getPort() != 0) {
            findings.add(port("datagrams", node.listen(), "udp"));
        }
        return findings;
    }

    private static Finding port(String what, InetSocketAddress address, String transport) {
        String where = address.getAddress().getHostAddress() + ":" + address.getPort() + "/" + transport;
        try {
            if (transport.equals("udp")) {
                new DatagramSocket(address).close();
            } else {
                ServerSocket socket = new ServerSocket();
                try (socket) {
                    socket.setReuseAddress(true);
                    socket.bind(address);
                }
            }
            return Finding.ok("ports", where + " is free, for " + what);
        } catch (IOException e) {
            return Finding.wrong("ports", where + " cannot be had for " + what + ": " + AnepException.reason(e),
                    "see who has it: ss -lnp 'sport = :" + address.getPort() + "'; or name another address in the configuration");
        }
    }

    private Finding disk() {
        Path data = node.dataDirectory().toAbsolutePath();
        Path there = data;
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there) || !Files.isWritable(there)) {
            return Finding.wrong("disk", data + " cannot be written by this user", "give it to the user of the node, or name another one with data: in the configuration");
        }
        try {
            long free = Files.getFileStore(there).getUsableSpace();
            String found = data + " has " + (free >> 20) + " MiB free";
            return free < TOO_LITTLE ? Finding.wrong("disk", found + ": the node keeps no new service", "make room")
                    : free < LITTLE ? Finding.warn("disk", found, "make room: services, and what they keep, are there") : Finding.ok("disk", found);
        } catch (IOException e) {
            return Finding.ok("disk", data + " can be written; how much room there is cannot be seen here");
        }
    }

    private List<Finding> trust() {
        if (node.development()) {
            return List.of(Finding.warn("trust", "development mode: unsigned bundles are run", "for other people's streams set trust: to a file with the certificates of your publishers"));
        }
        if (node.trust() == null) {
            return List.of(Finding.wrong("trust", "no publisher is trusted, and this is not development mode", "set trust: to a file with the certificates of your publishers"));
        }
        List<Finding> findings = new ArrayList<>();
        try {
            Map<String, Object> described = Trust.of(node.trust(), node.guests(), node.revoked(), null, List.of()).describe();
            findings.addAll(certificates("publisher", described.get("publishers"), node.trust()));
            findings.addAll(certificates("guest", described.getOrDefault("guests", List.of()), node.guests()));
        } catch (AnepException e) {
            findings.add(Finding.wrong("trust", e.getMessage(), "docs/trust.md says how such a file is made"));
        }
        return findings;
    }

    private List<Finding> certificates(String what, Object publishers, Path file) {
        return ((List<?>) publishers).stream().map(each -> (Map<?, ?>) each).map(publisher -> certificate("trust", what + " " + publisher.get("name"),
                Instant.parse(publisher.get("until").toString()), "have its publisher make a new certificate, and add that to " + file)).toList();
    }

    private List<Finding> tls() {
        if (node.tls() == null) {
            return List.of();
        }
        try (Identity identity = new Identity(node.tls().files())) {
            return List.of(certificate("trust", "this node's certificate, " + identity.name(), identity.until(), "renew it: docs/two-sites.md"));
        } catch (AnepException e) {
            return List.of(Finding.wrong("trust", e.getMessage(), "see tls: in the configuration, and docs/two-sites.md"));
        }
    }

    static Finding certificate(String area, String whose, Instant until, String remedy) {
        Duration left = Duration.between(Instant.now(), until);
        return left.isNegative() ? Finding.wrong(area, whose + " has expired on " + until, remedy)
                : left.compareTo(SOON) < 0 ? Finding.warn(area, whose + " expires in " + left.toDays() + " days, on " + until, remedy)
                : Finding.ok(area, whose + " is good until " + until);
    }

    /** Next hops, code servers and repositories, all at once: a dead one costs its patience only once. */
    private List<Finding> others() {
        Set<InetSocketAddress> hops = new LinkedHashSet<>();
        for (Route route : node.routes()) {
            for (NextHop hop : route.hops()) {
                hops.add(hop.address());
            }
        }
        List<CompletableFuture<Finding>> asked = new ArrayList<>();
        hops.forEach(hop -> asked.add(async(() -> connect("next hop ", hop))));
        node.neighbours().forEach(code -> asked.add(async(() -> connect("code server ", code))));
        node.repositories().forEach(each -> asked.add(async(() -> repository(each))));
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static CompletableFuture<Finding> async(Supplier<Finding> look) {
        CompletableFuture<Finding> finding = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                finding.complete(look.get());
            } catch (RuntimeException e) {
                finding.completeExceptionally(e);
            }
        }, "tamanoir-doctor");
        thread.setDaemon(true);
        thread.start();
        return finding;
    }

    private static Finding connect(String what, InetSocketAddress address) {
        InetSocketAddress known = address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        String name = what + address.getHostString() + ":" + address.getPort();
        try (Socket socket = new Socket()) {
            long begun = System.nanoTime();
            socket.connect(known, PATIENCE_MILLIS);
            return Finding.ok("neighbours", name + " answers, in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
        } catch (IOException e) {
            return Finding.wrong("neighbours", name + " takes no connection: " + AnepException.reason(e),
                    "see that a node runs there, and that no firewall is in the way; streams that need it fail with EE-204");
        }
    }

    private static Finding repository(RepositoryAddress repository) {
        String url = repository.url();
        boolean tuf = repository.tuf() != null;
        try {
            HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).timeout(Duration.ofMillis(PATIENCE_MILLIS)).bytes(tuf ? "/tuf/timestamp.json" : "/index.xml", 64 << 20);
            return Finding.ok("neighbours", "repository " + url + " answers");
        } catch (AnepException e) {
            return e.code() == ErrorCode.NO_METADATA ? Finding.wrong("neighbours", "repository " + url + " publishes nothing by TUF: " + e.text(),
                    "publish there with 'tamanoir repository tuf', or take tuf out of its entry")
                    : Finding.warn("neighbours", "repository " + url + " does not answer: " + e.text(),
                            "see that 'tamanoir repository run' runs there; services that are not in the node's store cannot be fetched");
        }
    }
}
