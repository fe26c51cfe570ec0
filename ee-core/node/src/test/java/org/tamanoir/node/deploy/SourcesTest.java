package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.ServicePolicy;

class SourcesTest {
    private static final InetSocketAddress FAR = new InetSocketAddress("192.0.2.7", 3324);
    private static final InetSocketAddress NEIGHBOUR = new InetSocketAddress("192.0.2.8", 3324);

    private static DeployerSettings settings(Duration nodeTimeout) {
        return new DeployerSettings(null, List.of(RepositoryAddress.valueOf("http://192.0.2.1:3325"), RepositoryAddress.valueOf("http://192.0.2.2:3325")), List.of(NEIGHBOUR),
                Duration.ofSeconds(1), nodeTimeout, Duration.ofSeconds(1), 1 << 20, 1, Duration.ofSeconds(1), LifecycleSettings::defaults,
                (service, declared) -> ServicePolicy.preset(declared, Duration.ofSeconds(1)), () -> 8);
    }

    private static Sources sources(DeployerSettings settings) {
        return new Sources(settings, new RepositoryMetadata(settings, null, InstantSource.system(), index -> { }), index -> { });
    }

    private static List<String> names(InetSocketAddress previous) {
        DeployerSettings settings = settings(Duration.ofSeconds(1));
        return sources(settings).all(Asker.of(previous)).stream().map(BundleSource::name).toList();
    }

    @Test
    void areAskedInOrderTheNodeBeforeFirst() {
        assertThat(names(FAR)).containsExactly("node 192.0.2.7:3324", "node 192.0.2.8:3324", "http://192.0.2.1:3325",
                "http://192.0.2.2:3325");
        assertThat(names(null)).doesNotContain("node 192.0.2.7:3324").hasSize(3);
        assertThat(names(NEIGHBOUR)).as("once").hasSize(3);
    }

    /** Quotas go by accounts: nothing that one peer does makes another wait, and nothing that peers do makes the node wait. */
    @Test
    void eachPeerHasItsAccountAndDatagramsAndTheNodeHaveTheirs() {
        assertThat(Asker.of(FAR).account()).contains("192.0.2.7").isEqualTo(Asker.of(new InetSocketAddress("192.0.2.7", 0)).account())
                .isNotEqualTo(Asker.of(NEIGHBOUR).account());
        assertThat(Asker.of(new InetSocketAddress("192.0.2.7", 0)).codeServer()).as("it has none").isNull();
        assertThat(Asker.of(null)).isSameAs(Asker.DATAGRAMS);
        assertThat(Asker.NODE.isNode()).isTrue();
        assertThat(List.of(Asker.of(FAR), Asker.DATAGRAMS)).noneMatch(Asker::isNode);
    }

    private static BundleSource previous(Sources sources, ServerSocket silent) {
        return sources.all(Asker.of((InetSocketAddress) silent.getLocalSocketAddress())).get(0);
    }

    private static ErrorCode refusal(BundleSource source) {
        try {
            source.find(1);
            return null;
        } catch (AnepException e) {
            return e.code();
        }
    }

    @Test
    void aHostThatNamesSilentPortAfterSilentPortIsLeftAlone() throws Exception {
        Sources sources = sources(settings(Duration.ofMillis(100)));
        List<ServerSocket> silent = new ArrayList<>();
        try {
            for (int i = 0; i <= Sources.MOST_SILENT; i++) {
                silent.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
            }
            for (ServerSocket port : silent.subList(0, Sources.MOST_SILENT)) {
                assertThatExceptionOfType(AnepException.class).isThrownBy(() -> previous(sources, port).find(1)).withMessageNotContaining("is not asked");
            }
            ServerSocket next = silent.get(Sources.MOST_SILENT);
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> previous(sources, next).find(1)).withMessageContaining("is not asked")
                    .extracting(AnepException::code).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
        } finally {
            for (ServerSocket port : silent) {
                port.close();
            }
        }
    }

    @Test
    void previousNodesThatKeepSilentHoldHalfOfTheThreadsAtMost() throws Exception {
        Sources sources = sources(settings(Duration.ofSeconds(20)));
        ExecutorService threads = Executors.newCachedThreadPool();
        List<ServerSocket> silent = new ArrayList<>();
        try {
            List<CompletableFuture<ErrorCode>> asked = new ArrayList<>();
            for (int i = 0; i <= Sources.MOST_ASKED; i++) {
                silent.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0." + (i + 1))));
                BundleSource node = previous(sources, silent.get(i));
                asked.add(CompletableFuture.supplyAsync(() -> refusal(node), threads));
            }
            await().until(() -> asked.stream().anyMatch(CompletableFuture::isDone));
            assertThat(asked).filteredOn(CompletableFuture::isDone).singleElement().isEqualTo(asked.stream().filter(CompletableFuture::isDone)
                    .findFirst().orElseThrow()).satisfies(refused -> assertThat(refused.join()).isEqualTo(ErrorCode.BUSY));
        } finally {
            for (ServerSocket port : silent) {
                port.close();
            }
            threads.shutdownNow();
        }
    }
}
