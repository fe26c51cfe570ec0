package org.tamanoir.tests;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;

/** Sites around one router, which has the observatory and the repository that theodolites are loaded from. Sites are named {@code t1}, {@code t2} and so on. */
final class TheodoliteLab implements AutoCloseable {
    private final TemporaryFolder files = new TemporaryFolder();
    private final Lab lab;
    private final Host router;
    private final List<Link> links = new ArrayList<>();
    private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
    private LabRepository repository;
    private LabObservatory observatory;

    TheodoliteLab(int sites) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        lab = Lab.open();
        try {
            router = lab.host("router");
            router.forward(true);
            for (int i = 1; i <= sites; i++) {
                Host site = lab.host("t" + i);
                links.add(lab.link(router, site));
                site.routeAll(links.get(i - 1).first());
            }
            InetAddress here = links.get(0).first().ipv4();
            repository = new LabRepository(router, here.getHostAddress(), files.folder("repository"), Grid.bundle("theodolite"), Grid.bundle("forward"));
            observatory = new LabObservatory(router, here, files.folder("observatory"));
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    LabObservatory observatory() {
        return observatory;
    }

    NodeProcess node(int site) {
        return nodes.get("t" + site);
    }

    Host host(int site) {
        return links.get(site - 1).second().host();
    }

    InetAddress at(int site) {
        return links.get(site - 1).second().ipv4();
    }

    private String address(int site) {
        return at(site).getHostAddress();
    }

    /** Starts the node of a site, and loads its theodolite if it has none. */
    void start(int site) {
        String name = "t" + site;
        NodeProcess node = NodeProcess.start(host(site), files.folder(name), """
                listen: %1$s:3322
                repositories: ['%2$s']
                routes: {10.0.0.0/8: direct}
                services: {theodolite: {name: %3$s, observatory: '%4$s', patience: 1s}}
                %5$s""".formatted(address(site), repository.url(), name, observatory.url(), observatory.tls(name)));
        boolean isNew = nodes.put(name, node) == null;
        if (isNew) {
            node.admin().upgrade("theodolite", "0.1.0");
        }
    }

    /** SIGKILL. */
    void kill(int site) {
        node(site).kill();
    }

    /** A plan in which the first sites ping each other every five seconds, and may send flows. */
    String plan(int sites) {
        List<Integer> numbers = IntStream.rangeClosed(1, sites).boxed().toList();
        return """
                theodolites: {%s}
                groups: {all: {mesh: ["*"]}}
                tests:
                  ping: {tool: round-trip, probes: 20, interval: 100ms}
                  flow: {tool: throughput, length: 2s, streams: 2}
                schedules: {often: {repeat: 5s}}
                tasks:
                  ping: {group: all, test: ping, schedule: often}
                  flow: {group: all, test: flow}
                """.formatted(numbers.stream().map(each -> "t" + each + ": " + address(each)).collect(Collectors.joining(", ")));
    }

    @Override
    public void close() {
        nodes.values().forEach(NodeProcess::close);
        if (observatory != null) {
            observatory.close();
        }
        if (repository != null) {
            repository.close();
        }
        lab.close();
        files.close();
    }
}
