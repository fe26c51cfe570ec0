package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;

/** The life of a keepalived under an engine: real processes in namespaces, VRRP without virtual services, which needs no IPVS. */
@Tag("lab")
class IpvsEngineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String VIRTUAL = "10.0.1.100";

    @TempDir
    private Path directory;
    private Lab lab;
    private Host first;
    private Host second;
    private Link link;

    @BeforeEach
    void start() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        DebianPackages.require("keepalived", "keepalived", "keepalived");
        DebianPackages.require("ipvsadm", "ipvsadm", "ipvsadm");
        lab = Lab.open();
        first = lab.host("first");
        second = lab.host("second");
        link = lab.link(first, second);
    }

    @AfterEach
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    private LabProcess engine(Host host) {
        boolean one = host == first;
        LabProcess process = host.startJava(EngineMain.class, directory.resolve(host.name()).toString(), one ? link.first().name() : link.second().name(),
                (one ? link.first() : link.second()).ipv4().getHostAddress(), (one ? link.second() : link.first()).ipv4().getHostAddress(), VIRTUAL,
                one ? "150" : "100");
        process.awaitLine("= ready", PATIENCE);
        return process;
    }

    private static String ask(LabProcess engine, String order) {
        engine.tell(order);
        return engine.awaitLine("= ", PATIENCE).substring(2);
    }

    private static boolean hasVirtual(Host host) {
        return host.run("ip", "address").output().contains("inet " + VIRTUAL + "/32");
    }

    private long pid(Host host) throws Exception {
        return Long.parseLong(Files.readString(directory.resolve(host.name()).resolve("keepalived.pid")).strip());
    }

    @Test
    void oneOfTwoIsMasterAndTheOtherTakesOverAndNothingStays() {
        LabProcess one = engine(first);
        assertThat(ask(one, "apply -")).startsWith("applied");
        await().atMost(PATIENCE).until(() -> ask(one, "status").equals("master carries=true problem=null") && hasVirtual(first));
        LabProcess two = engine(second);
        assertThat(ask(two, "apply -")).startsWith("applied");
        await().atMost(PATIENCE).until(() -> ask(two, "status").startsWith("backup"));
        assertThat(hasVirtual(second)).isFalse();

        one.tell("close");
        one.awaitLine("= closed", PATIENCE);
        await().atMost(PATIENCE).until(() -> ask(two, "status").startsWith("master") && hasVirtual(second));
        assertThat(hasVirtual(first)).isFalse();
        assertThat(directory.resolve("first")).doesNotExist();
        two.tell("close");
        two.awaitLine("= closed", PATIENCE);
        assertThat(hasVirtual(second)).isFalse();
        assertThat(directory.resolve("second")).doesNotExist();
        assertThat(keepaliveds()).isEmpty();
    }

    @Test
    void aKeepalivedThatDiesIsStartedAgain() throws Exception {
        LabProcess engine = engine(first);
        ask(engine, "apply -");
        await().atMost(PATIENCE).until(() -> ask(engine, "status").startsWith("master"));
        long pid = pid(first);
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await().atMost(PATIENCE).until(() -> Files.exists(directory.resolve("first/keepalived.pid")) && pid(first) != pid
                && ask(engine, "status").equals("master carries=true problem=null"));
        // One of its children is killed: then all of it ends and comes again.
        long child = Long.parseLong(Files.readString(directory.resolve("first/vrrp.pid")).strip());
        long second = pid(first);
        ProcessHandle.of(child).orElseThrow().destroyForcibly();
        await().atMost(PATIENCE).until(() -> Files.exists(directory.resolve("first/keepalived.pid")) && pid(first) != second
                && ask(engine, "status").equals("master carries=true problem=null"));
        assertThat(keepaliveds()).hasSize(1);
    }

    @Test
    void afterTheDeathOfTheFrontEndTheNextOneEndsItsOrphanAndNoOther() throws Exception {
        LabProcess engine = engine(first);
        ask(engine, "apply -");
        LabProcess other = engine(second);
        ask(other, "apply -");
        await().atMost(PATIENCE).until(() -> ask(engine, "status").startsWith("master"));
        long orphan = pid(first);
        long foreign = pid(second);
        engine.kill();
        // It goes on without its front-end, also when it has something to say to it.
        first.run("ip", "address", "add", "10.0.77.1/32", "dev", "lo");
        assertThat(first.run("sh", "-c", "kill -HUP " + orphan).exit()).isZero();
        Thread.sleep(300);
        assertThat(ProcessHandle.of(orphan)).isPresent();
        assertThat(hasVirtual(first)).isTrue();

        LabProcess next = engine(first);
        assertThat(ProcessHandle.of(orphan)).as("until there is a plan").isPresent();
        assertThat(ask(next, "apply -")).startsWith("applied");
        assertThat(ProcessHandle.of(orphan)).isEmpty();
        assertThat(ProcessHandle.of(foreign)).isPresent();
        assertThat(keepaliveds()).hasSize(2).contains(foreign);
        next.tell("close");
        next.awaitLine("= closed", PATIENCE);
        assertThat(keepaliveds()).containsExactly(foreign);
    }

    @Test
    void aSecondFrontEndWithTheSameDirectoryIsRefused() {
        LabProcess engine = engine(first);
        ask(engine, "apply -");
        LabProcess twin = first.startJava(EngineMain.class, directory.resolve("first").toString());
        assertThat(twin.awaitLine("= ", PATIENCE)).contains("EE-905").contains("another front-end");
        assertThat(ask(engine, "status")).contains("carries=true");
    }

    @Test
    void anInterfaceThatIsNotThereIsSaidAndNothingIsStarted() {
        LabProcess engine = first.startJava(EngineMain.class, directory.resolve("first").toString(), link.first().name(),
                link.first().ipv4().getHostAddress(), link.second().ipv4().getHostAddress(), VIRTUAL, "150", "nosuch0");
        engine.awaitLine("= ready", PATIENCE);
        assertThat(ask(engine, "apply -")).startsWith("EE-905").contains("nosuch0");
        assertThat(keepaliveds()).isEmpty();
    }

    /** The parents, of this test's directory. */
    private List<Long> keepaliveds() {
        String ours = "--use-file=" + directory;
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.filter(each -> commandLine(each.pid()).contains(ours))
                    .filter(each -> each.parent().map(parent -> !commandLine(parent.pid()).contains(ours)).orElse(true)).map(ProcessHandle::pid).toList();
        }
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
        } catch (java.io.IOException e) {
            return "";
        }
    }
}
