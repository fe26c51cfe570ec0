package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.NodeMeans;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.TaskThreads;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;

class InstallerTest {
    private static final FoundBundle IDLE = new FoundBundle(1, "idle", "1.0.0", "light", "hash", -1, null);

    @TempDir
    private Path directory;
    private final List<ServiceContext> created = new CopyOnWriteArrayList<>();
    private final List<ServiceContext> discarded = new CopyOnWriteArrayList<>();

    private final class Contexts implements NodeServiceContext.Factory {
        private final TaskThreads threads;

        private Contexts(TaskThreads threads) {
            this.threads = threads;
        }

        @Override
        public NodeServiceContext create(int typeId, String name, String version, Map<String, Object> inherited) {
            NodeServiceContext context = new NodeServiceContext(name, version, new MapConfiguration(name, Map.of()), null, inherited, null,
                    new NodeMeans(null, threads, null, null, null));
            created.add(context);
            return context;
        }

        @Override
        public void discard(ServiceContext context) {
            discarded.add(context);
        }
    }

    private interface Trial {
        void with(Installer installer) throws Exception;
    }

    private void installing(Duration startTimeout, Trial trial) throws Exception {
        try (ServiceWatch watch = new ServiceWatch(Duration.ofSeconds(1)); TaskThreads threads = new TaskThreads(watch);
                Installer installer = new Installer(directory.resolve("framework"), new Contexts(threads),
                        (name, declared) -> ServicePolicy.preset(declared, Duration.ofSeconds(1)), startTimeout, 1)) {
            installer.container();
            trial.with(installer);
        }
    }

    private Path jar(Class<?> service, String... more) throws Exception {
        Path jar = directory.resolve(service.getSimpleName() + ".jar");
        WarmUp.write(jar, service.getName(), more);
        return jar;
    }

    @BeforeEach
    void forget() {
        System.clearProperty(Dawdler.DONE);
    }

    @Test
    void aServiceThatStartsInTimeRunsUntilItIsStopped() throws Exception {
        installing(Duration.ofSeconds(10), installer -> {
            RunningService running = installer.start(IDLE, jar(IdleService.class, IdleService.class.getName() + "$Idle"), null);
            assertThat(running.name()).isEqualTo("idle");
            assertThat(discarded).isEmpty();
            installer.stop(running);
            installer.stop(running);
            assertThat(discarded).as("stopped once").isEqualTo(created).hasSize(1);
        });
    }

    @Test
    void aServiceThatStartsTooLateIsStoppedAndTakenOut() throws Exception {
        installing(Duration.ofMillis(500), installer -> {
            Path jar = jar(Dawdler.class);
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> installer.start(IDLE, jar, null)).withMessageContaining("500 ms")
                    .extracting(AnepException::code).isEqualTo(ErrorCode.SERVICE_START_FAILED);
            await().untilAsserted(() -> {
                assertThat(System.getProperty(Dawdler.DONE)).isEqualTo("started, stopped");
                assertThat(discarded).isEqualTo(created).hasSize(1);
                assertThat(installer.container().services()).isZero();
            });
        });
    }
}
