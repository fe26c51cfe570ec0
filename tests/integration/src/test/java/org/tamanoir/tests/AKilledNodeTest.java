package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Faulty;

/**
 * A node that gets SIGKILL at the entry of every system call by which a fetch, an upgrade or a deployment changes a file of its store:
 * started again it serves, what was acknowledged is current, and nothing half-written is left.
 *
 * <p>The whole sweep takes minutes: {@code tests/run --sweeps}. By itself the class hits one call of each kind, in one of the steps, another one every day.
 */
@Tag("long")
@Tag("lab")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class AKilledNodeTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "harmless";
    /** Beyond the calls that any of these steps makes. */
    private static final int MOST_CALLS = 40;

    private static final boolean SWEEP = Boolean.getBoolean("kill.sweep");
    /** Of the first calls of a kind, which every step makes. */
    private static final int DAYS = 2;

    private Grid grid;
    private TcpServer echo;
    private Path data;
    private int minor;
    private String current;
    private final Map<String, Integer> kills = new TreeMap<>();
    /** The one that was started after the last kill, for the next; null for none. */
    private NodeProgram started;

    @BeforeEach
    void start() throws IOException {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        grid = Grid.withRepository();
        echo = TcpServer.echo();
        data = grid.directory().resolve("killed");
    }

    @AfterEach
    void stop() throws IOException {
        if (started != null) {
            started.close();
        }
        echo.close();
        grid.close();
    }

    /** What is interrupted. */
    enum Step { UPGRADE, DEPLOY }

    private NodeProgram program() throws IOException {
        if (started != null) {
            NodeProgram there = started;
            started = null;
            return there;
        }
        return new NodeProgram(data, "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
    }

    /** The next version of the service, in a file. */
    private Path next() throws IOException {
        minor++;
        return new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version("1." + minor + ".0").in(grid.directory());
    }

    private String nextVersion() {
        return "1." + minor + ".0";
    }

    @ParameterizedTest
    @EnumSource
    void hasTheVersionThatItAcknowledged(Step step) throws Exception {
        killAtEvery(step);
        assertThat(kills.values().stream().mapToInt(Integer::intValue).sum()).as("kills").isGreaterThan(SWEEP ? 10 : 0);
    }

    private void killAtEvery(Step step) throws Exception {
        try (NodeProgram node = program()) {
            node.admin().put("/bundles", next());
            current = nextVersion();
        }
        for (String call : calls(step)) {
            killAt(call, count -> killed(step, call, count));
        }
        System.out.println("killed at " + kills + " during " + step);
        if (SWEEP) {
            assertThat(kills.keySet()).contains("openat", "write", "fsync");
        } else {
            assertThat(kills).isNotEmpty();
        }
    }

    /** Both steps keep a bundle by the same code: one is killed at these calls and the other at those, the other way round on the next day. */
    private static List<String> calls(Step step) {
        if (SWEEP) {
            return List.of("openat", "write", "fsync", "rename", "unlink");
        }
        boolean isEven = (LocalDate.now().toEpochDay() + step.ordinal()) % 2 == 0;
        return isEven ? List.of("openat", "fsync", "unlink") : List.of("write", "rename");
    }

    private interface Attempt {
        /** @return whether the node was killed at the call with this number */
        boolean kills(int count) throws Exception;
    }

    /**
     * In the sweep at every call of a kind. Else at one: calls are counted by thread, and which thread makes them differs from run to run, so where none
     * makes as many it is an earlier one.
     */
    private static void killAt(String call, Attempt attempt) throws Exception {
        if (!SWEEP) {
            for (int count = 1 + (int) (LocalDate.now().toEpochDay() % DAYS); count > 0 && !attempt.kills(count);) {
                count--;
            }
            return;
        }
        for (int count = 1; attempt.kills(count); count++) {
            assertThat(count).as("calls of %s", call).isLessThan(MOST_CALLS);
        }
    }

    /** One attempt at the next version. Returns whether the node was killed in it. */
    private boolean killed(Step step, String call, int count) throws Exception {
        Path bundle = next();
        boolean acknowledged = false;
        boolean killed;
        try (NodeProgram node = program()) {
            HttpFetch admin = node.admin().timeout(Duration.ofSeconds(20));
            verify(node);
            if (step == Step.UPGRADE) {
                grid.push(bundle);
            }
            try (KillingTracer tracer = new KillingTracer(node.pid(), call, count, watched(call, bundle), grid.directory().resolve("strace"))) {
                try {
                    if (step == Step.UPGRADE) {
                        admin.post("/services/" + NAME + "/upgrade", Map.of("dryRun", false));
                    } else {
                        admin.put("/bundles", bundle);
                    }
                    acknowledged = true;
                } catch (AnepException e) {
                    await("no answer, so it must be dead").until(tracer::hasEnded);
                }
                killed = tracer.hasEnded();
            }
            node.kill().exitCode();
        }
        if (killed) {
            kills.merge(call, 1, Integer::sum);
        }
        started = program();
        String now = verify(started);
        assertThat(now).as("%s %d of %s, acknowledged: %s", call, count, step, acknowledged)
                .isIn(acknowledged ? List.of(nextVersion()) : List.of(current, nextVersion()));
        current = now;
        return killed;
    }

    /** Renames and removals are few and have names that nobody knows beforehand: any counts. */
    private List<Path> watched(String call, Path bundle) throws IOException {
        if (call.equals("rename") || call.equals("unlink")) {
            return List.of();
        }
        Path store = data.resolve("bundles");
        String hash = FakeRepository.sha256(Files.readAllBytes(bundle));
        List<Path> files = new ArrayList<>(List.of(store, data, data.resolve("services.json.part"), data.resolve("services.json")));
        for (String name : List.of(hash + ".jar", hash + ".json", hash + ".json.part", "incoming-1.jar.part", "incoming-2.jar.part")) {
            files.add(store.resolve(name));
        }
        return files;
    }

    /** The node serves, its files are whole, and nothing else is there. Returns the version that is current. */
    private String verify(NodeProgram node) throws Exception {
        assertThat(node.said()).startsWith("READY");
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {1, 2})).finish();
            assertThat(peer.receive().payloadLength()).isEqualTo(2);
            assertThat(peer.receive()).isNull();
        }
        await("the node warms up there").untilAsserted(() ->
                assertThat(data.resolve("incoming")).isEmptyDirectory());
        assertThat(names(data)).noneMatch(name -> name.endsWith(".part"));
        List<String> names = names(data.resolve("bundles"));
        assertThat(names).noneMatch(name -> name.endsWith(".part"));
        for (String name : names) {
            String hash = name.substring(0, name.indexOf('.'));
            assertThat(names).as("a bundle and its description").contains(hash + ".jar", hash + ".json");
            assertThat(FakeRepository.sha256(Files.readAllBytes(data.resolve("bundles").resolve(hash + ".jar")))).isEqualTo(hash);
        }
        for (JsonNode service : node.admin().json("/services").path("services")) {
            if (service.path("current").asBoolean() && service.path("name").asText().equals(NAME)) {
                return service.path("version").asText();
            }
        }
        throw new AssertionError("no version is current");
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** The first fetch of a service: nothing was acknowledged, and the next node on that directory gets it. */
    @Test
    void fetchesAgainWhatItWasFetching() throws Exception {
        grid.push(next());
        current = nextVersion();
        for (String call : List.of("openat", "write", "fsync", "rename")) {
            killAt(call, count -> killedInFetch(call, count));
        }
        System.out.println("killed at " + kills + " during a fetch");
        assertThat(kills.keySet()).contains("openat", "write", "fsync");
    }

    private boolean killedInFetch(String call, int count) throws Exception {
        Path bundle = new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version(current).in(grid.directory());
        boolean killed;
        try (NodeProgram node = program()) {
            try (KillingTracer tracer = new KillingTracer(node.pid(), call, count, watched(call, bundle), grid.directory().resolve("strace"));
                    AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[2])).finish();
                if (!isAnswered(peer)) {
                    await("the stream was cut, so it must be dead").until(tracer::hasEnded);
                }
                killed = tracer.hasEnded();
            }
            node.kill().exitCode();
        }
        if (killed) {
            kills.merge(call, 1, Integer::sum);
        }
        started = program();
        assertThat(verify(started)).isEqualTo(current);
        started.admin().delete("/services/" + NAME);
        return killed;
    }

    /** What the kernel ends for a node that was killed looks like an end or like a failure. */
    private static boolean isAnswered(AnepPeer peer) {
        try {
            return peer.receive() != null;
        } catch (IOException e) {
            return false;
        }
    }
}
