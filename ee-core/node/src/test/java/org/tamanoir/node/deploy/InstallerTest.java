package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.TaskThreads;

class InstallerTest {
    private static final FoundBundle IDLE = new FoundBundle(1, "idle", "1.0.0", "light", "hash", -1, null);

    @TempDir
    private Path directory;
    private interface Trial {
        void with(Framework framework, Installer installer, TestContexts contexts) throws Exception;
    }

    private void installing(Duration startTimeout, Trial trial) throws Exception {
        try (ServiceWatch watch = new ServiceWatch(Duration.ofSeconds(1)); TaskThreads threads = new TaskThreads(watch)) {
            TestContexts contexts = new TestContexts(threads);
            try (Framework framework = new Framework(directory);
                    Installer installer = new Installer(framework, new Modules(directory.resolve("modules")), contexts,
                            (name, declared) -> ServicePolicy.preset(declared, Duration.ofSeconds(1)), startTimeout, 1)) {
                framework.container();
                trial.with(framework, installer, contexts);
            }
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
        installing(Duration.ofSeconds(10), (framework, installer, contexts) -> {
            RunningService running = installer.start(IDLE, jar(IdleService.class, IdleService.class.getName() + "$Idle"), "CN=alice", null);
            assertThat(running.name()).isEqualTo("idle");
            assertThat(contexts.discarded).isEmpty();
            installer.stop(running);
            installer.stop(running);
            assertThat(contexts.discarded).as("stopped once").isEqualTo(contexts.created).hasSize(1);
        });
    }

    @Test
    void aServiceThatStartsTooLateIsStoppedAndTakenOut() throws Exception {
        installing(Duration.ofMillis(500), (framework, installer, contexts) -> {
            Path jar = jar(Dawdler.class);
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> installer.start(IDLE, jar, "CN=alice", null)).withMessageContaining("500 ms")
                    .extracting(AnepException::code).isEqualTo(ErrorCode.SERVICE_START_FAILED);
            await().untilAsserted(() -> {
                assertThat(System.getProperty(Dawdler.DONE)).isEqualTo("started, stopped");
                assertThat(contexts.discarded).isEqualTo(contexts.created).hasSize(1);
                assertThat(framework.container().services()).isZero();
            });
        });
    }
}
