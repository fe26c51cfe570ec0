package org.tamanoir.benchmarks.observatory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeAdmin;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport.Count;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/**
 * Sites of SCoPE around one router, each with a router of its own and an access link of 100 Mbit/s between the two: {@value #DESTINATION}, which fetches, three storage hosts with the file, and one more
 * site. Each storage host and the one that fetches has a node with a theodolite, those with the file a mover; the router has the observatory. Two of the storage hosts
 * synchronise with each other and with the further site all the time, as in section 5.2 of GlueDomains.
 */
final class ScopeSite implements AutoCloseable {
    static final String DESTINATION = "ceinge";
    static final String IDLE = "virgo";
    static final List<String> SOURCES = List.of(IDLE, "gsc", "centro");
    static final int RATE = 100;
    /** So many that a fetch beside them has about what the paper's slow fetches had, 14.2 Mbit/s of 100; with three and four of them it had 17, more than its share. */
    static final int FLOWS_EACH = 5;
    /** Of every sender here, whatever this machine has: with bbr a fetch of seconds has most of a busy link, which none of 2008 had. */
    static final String CONTROL = "cubic";
    private static final List<String> BUSY = List.of("gsc", "centro");
    private static final String OTHER = "astro";
    private static final Duration SYNCHRONISING = Duration.ofSeconds(900);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int MOVER = 3335;
    private static final int OBSERVATORY = 3337;
    private static final String SERVICE = "monitoring";
    private static final String TOKEN = "scope";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final TemporaryFolder files = new TemporaryFolder();
    private final Lab lab;
    /** Between the router of a site and its host. */
    private final Map<String, Link> links = new LinkedHashMap<>();
    private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
    private final List<FlowReceiver> receivers = new ArrayList<>();
    private final Path served;
    private final NodeAdmin observatory;
    private final String url;

    /** @param octets of the file */
    ScopeSite(long octets) {
        lab = Lab.open();
        try {
            served = files.folder("served");
            RandomFile.write(served.resolve("file"), octets, octets);
            Host router = lab.host("router");
            router.forward(true);
            String here = null;
            for (String site : List.of(DESTINATION, IDLE, "gsc", "centro", OTHER)) {
                // The queue of an access link is that of a router: in that of a sender's own interface nothing is ever lost.
                Host edge = lab.host("edge-" + site);
                edge.forward(true);
                Link access = lab.link(router, edge, LinkOptions.DEFAULT.segments(true).rate(RATE + "mbit"));
                edge.routeAll(access.first());
                Host host = lab.host(site);
                Link inside = lab.link(edge, host, LinkOptions.DEFAULT.segments(true));
                host.route("default", inside.first().ipv4(), "congctl", CONTROL);
                router.route(inside, access.second());
                links.put(site, inside);
                here = access.first().ipv4().getHostAddress();
            }
            observatory = observatory(router);
            url = "http://" + here + ":" + OBSERVATORY;
            for (String site : theodolites()) {
                start(site);
            }
            SOURCES.forEach(this::serve);
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static List<String> theodolites() {
        List<String> all = new ArrayList<>(SOURCES);
        all.add(0, DESTINATION);
        return all;
    }

    private NodeAdmin observatory(Host router) throws IOException {
        Path folder = files.folder("observatory");
        Files.writeString(folder.resolve("tokens"), TOKEN + "\n");
        Files.writeString(folder.resolve("plan.yaml"), plan());
        Files.writeString(folder.resolve("topology.yaml"), "domains: {" + links.keySet().stream().map(each -> each + ": {bottlenecks: [access-" + each + "]}").collect(Collectors.joining(", "))
                + "}\nhosts: {" + links.keySet().stream().map(each -> address(each) + ": " + each).collect(Collectors.joining(", ")) + "}\n");
        LabProcess process = router.start("observatory", CommandLineTool.command("observatory", "run", "--listen", "0.0.0.0:" + OBSERVATORY, "--data", folder.resolve("data").toString(),
                "--theodolite-token-file", folder.resolve("tokens").toString(), "--plan", folder.resolve("plan.yaml").toString(), "--topology", folder.resolve("topology.yaml").toString()));
        process.awaitLine("READY observatory ", PATIENCE);
        return new NodeAdmin("http://127.0.0.1:" + OBSERVATORY, null, router);
    }

    /** Pings all the time; flows when somebody asks for them, right before a fetch as in the paper. */
    private String plan() {
        return """
                theodolites: {%s}
                groups: {all: {mesh: ["*"]}, in: {from: [%s], to: [%s]}}
                tests:
                  ping: {tool: round-trip, probes: 100, interval: 50ms}
                  flow: {tool: throughput, length: 3s, streams: 1}
                schedules: {often: {repeat: 10s}}
                tasks:
                  ping: {group: all, test: ping, schedule: often}
                  flow: {group: in, test: flow}
                """.formatted(theodolites().stream().map(each -> each + ": " + address(each)).collect(Collectors.joining(", ")), String.join(", ", SOURCES), DESTINATION);
    }

    private Port port(String site) {
        return links.get(site).second();
    }

    private String address(String site) {
        return port(site).ipv4().getHostAddress();
    }

    /** The way to a storage host leads through its node, which delivers to its mover. */
    private void start(String site) throws IOException {
        Path token = Files.writeString(files.folder("tokens").resolve(site), TOKEN + "\n");
        String hops = site.equals(DESTINATION) ? SOURCES.stream().map(each -> address(each) + "/32: '" + address(each) + ":3322', ").collect(Collectors.joining()) : "";
        NodeProcess node = NodeProcess.start(port(site).host(), files.folder(site), """
                listen: %1$s:3322
                routes: {%2$s10.0.0.0/8: direct}
                services: {theodolite: {name: %3$s, observatory: '%4$s', observatory-token-file: %5$s}}
                """.formatted(address(site), hops, site, url, token));
        nodes.put(site, node);
        node.deploy(CommandLineTool.bundle("theodolite"));
        node.deploy(CommandLineTool.bundle(SERVICE));
    }

    private void serve(String site) {
        LabProcess mover = port(site).host().start("mover", CommandLineTool.command("mover", "run", "--open", "--read-only", "--listen", address(site) + ":" + MOVER, "--root", served.toString()));
        mover.awaitLine("READY mover ", PATIENCE);
    }

    /** Two storage hosts send to each other and to the further site from now on. */
    void synchronise() {
        Map<String, FlowReceiver> at = new LinkedHashMap<>();
        for (String site : List.of("gsc", "centro", OTHER)) {
            at.put(site, FlowReceiver.start(port(site)));
            at.get(site).begin();
        }
        receivers.addAll(at.values());
        for (String from : BUSY) {
            at.forEach((to, receiver) -> {
                for (int i = 0; i < FLOWS_EACH && !to.equals(from); i++) {
                    Flows.stream(port(from).host(), receiver, 0, CONTROL, SYNCHRONISING.toSeconds());
                }
            });
        }
    }

    /** Octets that have been synchronised since the beginning. */
    long synchronised() {
        return receivers.stream().flatMap(each -> each.report().counts().stream()).mapToLong(Count::octets).sum();
    }

    /** Waits until every path to the destination has been pinged since a time. */
    void awaitPings(long since) {
        observatory.await("/v1/matrix", PATIENCE, all -> SOURCES.stream().allMatch(source -> newest(all, "ping/be/" + source + "/" + DESTINATION) > since));
    }

    /** Has the throughput from each storage host measured, one after the other, since they share the link of the destination. @return Mbit/s by source */
    Map<String, Double> measureFlows() {
        long asked = System.currentTimeMillis();
        SOURCES.forEach(source -> observatory.post("/v1/agenda", Map.of("session", session(source), "within", PATIENCE.toSeconds())));
        JsonNode all = observatory.await("/v1/matrix", PATIENCE, now -> SOURCES.stream().allMatch(source -> newest(now, session(source)) > asked));
        Map<String, Double> rates = new LinkedHashMap<>();
        for (JsonNode each : all) {
            SOURCES.stream().filter(source -> each.path("session").asText().equals(session(source))).forEach(source -> rates.put(source, each.path("values").path("steady-mbits").asDouble()));
        }
        return rates;
    }

    private static String session(String source) {
        return "flow/be/" + source + "/" + DESTINATION;
    }

    private static long newest(JsonNode matrix, String session) {
        for (JsonNode each : matrix) {
            if (each.path("session").asText().equals(session)) {
                return each.path("time").asLong();
            }
        }
        return 0;
    }

    /** What the observatory ranks first. @param function netcost or time @return the entry, with its value */
    JsonNode choose(String function, long octets) {
        JsonNode first = observatory.post("/v1/rank", Map.of("size", octets, "replicas", SOURCES, "destinations", List.of(DESTINATION), "function", function, "tolerance", 120))
                .path("ranked").path(DESTINATION).path(0);
        if (!first.path("known").asBoolean()) {
            throw new LabException("nothing is known of " + function + ": " + first);
        }
        return first;
    }

    /** Fetches the file over one stream through the nodes of both ends, and compares it. @return seconds, as the command itself says */
    double fetch(String source) throws IOException {
        Path copy = files.folder("fetched").resolve("file");
        try (LabProcess command = port(DESTINATION).host().start("copy", CommandLineTool.command("copy", "--json", "--streams", "1", "--via", address(DESTINATION) + ":3322", "--service", SERVICE,
                "tam://" + address(source) + ":" + MOVER + "/file", copy.toString()))) {
            int exit = command.awaitExit(Duration.ofMinutes(5));
            if (exit != 0) {
                throw new LabException("the copy ended with " + exit + ": " + command.errors() + command.output());
            }
            if (Files.mismatch(served.resolve("file"), copy) >= 0) {
                throw new LabException("what was fetched is not the file");
            }
            return MAPPER.readTree(command.output().lines().filter(line -> line.contains("\"done\"")).findFirst().orElseThrow()).path("seconds").asDouble();
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    @Override
    public void close() {
        // They would take leave of streams for seconds each.
        nodes.values().forEach(NodeProcess::kill);
        lab.close();
        files.close();
    }
}
