package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.frontend.Frontend;
import org.tamanoir.cluster.frontend.FrontendConfiguration;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.http.HttpServer;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.settings.Settings;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;
import org.tamanoir.transfer.daemon.DaemonOptions;
import org.tamanoir.transfer.daemon.TransferApi;
import org.tamanoir.transfer.daemon.TransferDaemon;
import org.tamanoir.transfer.queue.Limits;
import org.tamanoir.transfer.queue.RetryPolicy;
import picocli.CommandLine;

/** docs/operating.md, "Output for programs": every command with {@code --json}, against real servers. */
@Timeout(120)
class JsonOutputTest {
    /**
     * Commands that need more than is here: the kernel, several hosts, keys, a stream that runs. They print by {@link Json} too, which takes objects
     * alone; the names in them are not checked.
     */
    private static final Set<String> NOT_HERE = Set.of("collect", "demo", "cache list", "cache why", "cache purge", "cache warm", "elect", "publish", "subscribe", "gateway", "gateway-status", "endpoint", "init", "multicast send", "multicast receive", "qos domain apply", "qos domain show", "qos domain remove", "qos eds apply", "qos eds show", "qos eds remove",
            "qos open", "qos modify", "qos release", "qos show", "qos explain", "receive", "repository import", "repository tuf publish", "repository tuf status", "send", "service sign", "service undeploy", "service upgrade", "stream why");
    /** Objects whose names are data: prefixes, codes, metrics, sessions. */
    private static final Set<String> DATA = Set.of("routes", "errors", "dropped", "interfaces", "values", "costs", "domains", "sessions", "load", "ranked", "probes", "notLower");
    private static final long YEAR_2001 = 1_000_000_000_000L;
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private final Set<String> seen = new TreeSet<>(NOT_HERE);
    @TempDir
    private Path directory;

    @Test
    @Tag("long")
    void everyCommandPrintsOneObjectOfTheSameForm() throws Exception {
        alone();
        atARepository();
        atANode();
        atMovers();
        atAFrontEnd();
        atAnObservatory();
        assertThat(commands(Tamanoir.commandLine()).map(each -> each.getCommandSpec().qualifiedName().replaceFirst("tamanoir ", "")).filter(name -> !seen.contains(name)))
                .as("not run").isEmpty();
        assertThat(commands(Tamanoir.commandLine())).allSatisfy(each -> assertThat(each.getCommandSpec().findOption("--json").description()[0]).startsWith("Print one JSON object"));
    }

    private static Stream<CommandLine> commands(CommandLine line) {
        return Stream.concat(Stream.of(line), line.getSubcommands().values().stream().flatMap(JsonOutputTest::commands)).filter(each -> each.getCommandSpec().findOption("--json") != null);
    }

    private void alone() throws Exception {
        run("anep decode --hex", write("packet", "01 00 5402 0002 000D 68656C6c6f"));
        String configuration = write("node.yaml", "listen: 127.0.0.1:0\ndata: " + directory.resolve("checked") + "\n");
        run("config check", configuration);
        run("config show", configuration);
        run("doctor");
        run("host check --rate 1G --rtt 20ms");
        run("host tune presets");
        run("host tune run --dry-run --rules", write("tune.yaml", "allow: 192.0.2.0/24\nrules:\n  - {remote: 192.0.2.0/24, congestion: reno}\n"));
        run("service new meter --api file:///api --directory", directory.toString());
        run("service next", directory.resolve("meter").toString());
        Path module = directory.resolve("shout.wasm");
        try (InputStream in = JsonOutputTest.class.getResourceAsStream("wasm/shout.wasm")) {
            Files.copy(in, module);
        }
        run("service pack --name shout --type-id 0x5501 --version 0.1.0 --output " + directory.resolve("shout.jar"), module.toString());
    }

    private void atARepository() throws Exception {
        try (RepositoryServer repository = RepositoryServer.start(RepositorySettings.of(ANY, directory.resolve("repository")))) {
            String at = " --repository " + repository.url();
            String bundle = TestBundle.write(directory, "counter", 0x5501, "1.2.0").toString();
            run("service inspect" + at, bundle);
            run("service push" + at, bundle, write("text.jar", "no bundle"));
            JsonNode refused = run("service inspect" + at, write("text.jar", "no bundle"));
            assertThat(refused.path("error").path("code").asText()).isEqualTo("EE-401");
            run("service list" + at);
            run("service show counter" + at);
            run("service retire counter 1.2.0" + at);
            Files.createDirectories(directory.resolve("fleet"));
            String folder = Path.of(write("fleet/fleet.yaml", "nodes: {edge-01: {}}\ndefaults: {drain: 1s}\n")).getParent().toString();
            run("fleet plan" + at, folder);
            run("fleet apply --yes" + at, folder);
            Files.writeString(directory.resolve("fleet/fleet.yaml"), "nodes: {edge-01: {}}\ndefaults: {drain: 2s}\n");
            run("fleet apply --yes --generation 1" + at, folder);
            run("fleet rollback --yes" + at);
            run("fleet status" + at);
            run("fleet status --node edge-01" + at);
            run("fleet status --generations" + at);
        }
    }

    private void atANode() throws Exception {
        Path file = Path.of(write("running.yaml", "listen: 127.0.0.1:0\ndata: " + directory.resolve("node") + "\ndevelopment: true\nroutes: {127.0.0.0/8: direct}\ntune: [{name: all, pacing: 1G}]\naccess-policy: "
                + write("access.yaml", "rules:\n  - {allow: 127.0.0.1}\n") + "\n"));
        Node node = Node.start(new ConfigurationSource(file, () -> Settings.of(file)));
        try {
            String at = " --node " + node.adminUrl();
            for (String question : List.of("access", "events", "links", "pins", "reload", "routes", "rules", "services", "status", "streams", "top", "tuning", "explain --to 127.0.0.1:7000 --service monitoring")) {
                run("node " + question + at);
            }
            run("node pin 127.0.0.0/8 monitoring 1.0.0" + at);
            run("node tuning reset all" + at);
            run("node unpin 127.0.0.0/8 monitoring" + at);
            run("service deploy --dry-run" + at, write("text.jar", "no bundle"));
        } finally {
            node.stop();
        }
    }

    private void atMovers() throws Exception {
        Path far = Files.createDirectories(directory.resolve("far"));
        Files.writeString(far.resolve("source"), "content");
        try (Mover mover = Mover.open(new MoverOptions(ANY, far, null, false, 16, MoverOptions.MEMORY));
                TransferDaemon daemon = new TransferDaemon(new DaemonOptions(directory.resolve("queue"), null, null, new Limits(8, 4, 1), new RetryPolicy(60_000, 60_000, 3), 9, place -> null, List.of(), null,
                        null, Duration.ofMillis(500), null));
                HttpServer queue = TransferApi.serve(daemon, ANY, null, null)) {
            String place = "tam://127.0.0.1:" + mover.address().getPort() + "/";
            run("copy", write("file", "content"), place);
            String at = " --queue " + queue.url();
            String id = run("transfer submit" + at, place + "source", "tam://127.0.0.1:1/nobody").path("id").asText();
            assertThat(run("transfer list" + at).path("transfers")).hasSize(1);
            run("transfer show " + id + at);
            run("transfer why " + id + at);
            run("transfer cancel " + id + at);
        }
    }

    private void atAFrontEnd() throws Exception {
        FrontendConfiguration configuration = new FrontendConfiguration();
        configuration.name = "director1";
        configuration.listen = "127.0.0.1:0";
        configuration.data = directory.resolve("frontend");
        FrontendConfiguration.PoolSection pool = new FrontendConfiguration.PoolSection();
        pool.addresses = List.of("127.0.0.100");
        configuration.pools = Map.of("default", pool);
        try (Frontend frontend = Frontend.start(configuration, null, "between-us", any -> new Idle())) {
            run("frontend status --frontend " + frontend.url());
        }
    }

    /** A director that forwards nothing. */
    private static final class Idle implements Engine {
        @Override
        public String name() {
            return "none";
        }

        @Override
        public void apply(Plan plan) {
        }

        @Override
        public Set<String> alive() {
            return Set.of();
        }

        @Override
        public List<Counters> counters() {
            return List.of();
        }

        @Override
        public EngineStatus status() {
            return new EngineStatus(false, "it is a test", "alone", null);
        }

        @Override
        public void close() {
        }
    }

    private void atAnObservatory() throws Exception {
        try (ObservatoryServer server = ObservatoryServer.start(ObservatorySettings.of(ANY, directory.resolve("observatory")))) {
            String at = " --observatory " + server.url();
            run("observatory plan put" + at, write("plan.yaml", "theodolites: {a: se.a.example, b: se.b.example}\ngroups: {all: {mesh: [\"*\"]}}\n"
                    + "tests: {ping: {tool: round-trip}, flow: {tool: throughput, length: 20s}}\nschedules: {often: {repeat: 1m}}\n"
                    + "tasks: {ping: {group: all, test: ping, schedule: often}, flow: {group: all, test: flow, schedule: often}}\n"));
            run("observatory topology put" + at, write("topology.yaml", "domains: {d: {}}\nrules: [{suffix: a.example, domain: d}]\n"));
            assertThat(run("observatory plan history" + at).path("versions")).hasSize(1);
            run("observatory topology history" + at);
            server.observatory().register("a", "somebody", new Registration("n", "h:1", null, "tamanoir", null));
            long now = System.currentTimeMillis();
            server.observatory().intake().take("{\"theodolite\":\"a\",\"boot\":1,\"number\":1,\"session\":\"ping/be/a/b\",\"kind\":\"round-trip\",\"time\":" + now
                    + ",\"values\":{\"rtt-median\":20.1,\"loss\":0.01}}\n{\"theodolite\":\"a\",\"boot\":1,\"number\":2,\"kind\":\"stream\",\"time\":" + now
                    + ",\"stream\":17,\"source\":\"192.0.2.7\",\"destination\":\"198.51.100.9\",\"class\":\"be\",\"ended\":true,\"octets\":750000000,\"size\":750000000,\"seconds\":60,\"streams\":1,"
                    + "\"cause\":\"receiver\",\"share\":1.0,\"sure\":true,\"sentence\":\"the receiver read too little\"}\n", "somebody", now);
            assertThat(run("observatory theodolites" + at).path("theodolites")).hasSize(2);
            run("observatory agenda" + at);
            assertThat(run("path list" + at).at("/samples/0/time").asText()).isEqualTo(Instant.ofEpochMilli(now).toString());
            assertThat(run("path show a b" + at).at("/sessions").properties().iterator().next().getValue().path(0).path("time").isTextual()).isTrue();
            assertThat(run("path why 192.0.2.7 198.51.100.9" + at).at("/newest/0/time").isTextual()).isTrue();
            run("cost a se.b.example" + at);
            run("choose --to b a" + at);
            run("observatory release a" + at);
        }
    }

    private String write(String name, String content) throws Exception {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    /** @param words the command and its options, by spaces @param operands file names, which may have spaces */
    private JsonNode run(String words, String... operands) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(words.split(" ")));
        arguments.addAll(List.of(operands));
        arguments.add("--json");
        String[] given = arguments.toArray(String[]::new);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Tamanoir.commandLine(given).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exit = line.execute(given);
        JsonNode printed = mapper.readTree(out.toString());
        assertThat(printed.isObject()).as("%s ended with %d: %s%s", words, exit, out, err).isTrue();
        check(words, "", printed);
        CommandLine.ParseResult parsed = line.getParseResult();
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        seen.add(parsed.commandSpec().qualifiedName().replaceFirst("tamanoir ", ""));
        return printed;
    }

    /** Wrong: {@code rtt-ms}, {@code RTT}, a unit that is abbreviated, milliseconds since 1970. */
    private static void check(String command, String path, JsonNode value) {
        boolean isData = DATA.contains(path.substring(path.lastIndexOf('/') + 1));
        for (Map.Entry<String, JsonNode> each : value.properties()) {
            String at = path + "/" + each.getKey();
            if (!isData) {
                assertThat(each.getKey()).as("%s: %s", command, at).matches("[a-z][A-Za-z0-9]*").doesNotMatch(".*(Ms|Us|Sec|Mbps|Kbps|Pct)");
            }
            check(command, at, each.getValue());
        }
        for (JsonNode each : value.isArray() ? value : List.<JsonNode>of()) {
            check(command, path, each);
        }
        assertThat(value.isLong() && value.asLong() > YEAR_2001).as("%s: %s looks like a time: %s", command, path, value).isFalse();
    }
}
