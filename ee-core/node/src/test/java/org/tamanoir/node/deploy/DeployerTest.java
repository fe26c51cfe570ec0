package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.deploy.BundleStore.Sha256;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.TaskThreads;
import org.tamanoir.trust.Trust;

/** A deployer with its threads, its store and the framework; the services do nothing. */
@Timeout(60)
class DeployerTest {
    private static final int IDLE = 1;
    /** The version of the bundle that is one; the others are only kept. */
    private static final String CURRENT = "1.0.0";
    private static final InetAddress ANYWHERE = InetAddress.getLoopbackAddress();
    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 0);
    private static final VersionPins NO_PINS = new VersionPins() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public String version(String service, InetAddress destination) {
            return null;
        }

        @Override
        public Set<String> versions(String service) {
            return Set.of();
        }
    };

    @TempDir
    private Path directory;

    private interface Trial {
        void with(Deployer deployer) throws Exception;
    }

    private void deploying(List<String> repositories, Duration patience, Trial trial) throws Exception {
        DeployerSettings settings = new DeployerSettings(null, repositories.stream().map(RepositoryAddress::valueOf).toList(), List.of(), Duration.ofSeconds(60), Duration.ofSeconds(60),
                Duration.ofSeconds(10), 1 << 20, 1, patience, LifecycleSettings::defaults,
                (service, declared) -> ServicePolicy.preset(declared, Duration.ofSeconds(1)), () -> 8);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofSeconds(1)); TaskThreads threads = new TaskThreads(watch);
                Framework framework = new Framework(directory);
                Deployer deployer = new Deployer(settings, directory, framework, new ServiceRegistry(), Trust.development(), NO_PINS,
                        new ServiceEvents(), new TestContexts(threads))) {
            trial.with(deployer);
        }
    }

    /** As if it had been got before. */
    private String keep(int typeId, String version) throws Exception {
        Path store = Files.createDirectories(directory.resolve("bundles"));
        Path jar = store.resolve("new.jar");
        if (version.equals(CURRENT)) {
            WarmUp.write(jar, IdleService.class.getName(), IdleService.class.getName() + "$Idle");
        } else {
            Files.writeString(jar, version);
        }
        String hash = Sha256.of(jar);
        Files.move(jar, store.resolve(hash + ".jar"));
        Files.writeString(store.resolve(hash + ".json"), "{\"typeId\":" + typeId + ",\"name\":\"idle\",\"version\":\"" + version
                + "\",\"level\":\"light\",\"sha256\":\"" + hash + "\",\"size\":-1,\"content\":null}");
        return hash;
    }

    @Test
    void aStreamThatWaitsIsAnsweredWithinABoundThatTheAnswerNames() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, ANYWHERE)) {
            deploying(List.of("http://127.0.0.1:" + silent.getLocalPort()), Duration.ofMillis(300), deployer -> {
                CompletableFuture<RunningService> asked = deployer.request(0x5501, ANYWHERE, PEER);
                CompletableFuture<Descriptor> described = deployer.describe(0x5502, PEER);
                assertThatThrownBy(() -> asked.get(20, TimeUnit.SECONDS)).hasMessageContaining("EE-302").hasMessageContaining("300 ms");
                assertThatThrownBy(() -> described.get(20, TimeUnit.SECONDS)).hasMessageContaining("EE-302").hasMessageContaining("300 ms");
            });
        }
    }

    @Test
    void isReadyWhenWhatRanBeforeRunsAgainAndWaitsForNothingThatCannot() throws Exception {
        Files.writeString(directory.resolve("services.json"), "{\"" + IDLE + "\":\"" + keep(IDLE, CURRENT) + "\",\"2\":\"" + keep(2, "0.1.0") + "\"}");
        deploying(List.of(), Duration.ofSeconds(20), deployer -> {
            deployer.startKept();
            deployer.awaitReady();
            assertThat(deployer.request(IDLE, ANYWHERE, PEER)).as("at once").isCompleted();
            assertThat(deployer.request(2, ANYWHERE, PEER)).as("it has failed").isCompletedExceptionally();
        });
    }

    @Test
    void anOldVersionThatCannotBeRemovedIsSaidAndIsNoFailureOfTheOneThatRuns() throws Exception {
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger("org.tamanoir.node.deploy");
        logger.addAppender(said);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        try {
            String oldest = keep(IDLE, "0.1.0");
            for (String version : List.of("0.2.0", "0.3.0", "0.4.0", "0.5.0", CURRENT)) {
                keep(IDLE, version);
            }
            deploying(List.of(), Duration.ofSeconds(20), deployer -> {
                Path description = directory.resolve("bundles").resolve(oldest + ".json");
                Files.delete(description);
                Files.createDirectories(description.resolve("in the way"));
                assertThat(deployer.request(IDLE, ANYWHERE, PEER).get(20, TimeUnit.SECONDS).version()).isEqualTo(CURRENT);
                await().untilAsserted(() -> assertThat(List.copyOf(said.list)).anySatisfy(event -> {
                    assertThat(event.getLevel()).isEqualTo(Level.WARN);
                    assertThat(event.getFormattedMessage()).contains("EE-409").contains("0.1.0");
                }));
                assertThat(deployer.operator().statuses()).singleElement().satisfies(status -> assertThat(status.state()).isEqualTo("active"));
            });
        } finally {
            logger.detachAppender(said);
        }
    }
}
