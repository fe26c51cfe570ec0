package org.tamanoir.transfer.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.mover.FetchOptions;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;

/** Copies that the mover of the destination makes, asked by a third. */
@Tag("seeded")
@Timeout(120)
class ThirdPartyTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int LARGE = 4_000_001;

    @TempDir
    private Path directory;
    private Path here;
    private Path far;
    private Mover source;
    private TamanoirClient client;

    @BeforeEach
    void start() throws IOException {
        here = Files.createDirectories(directory.resolve("here/run/sub")).getParent().getParent();
        far = Files.createDirectory(directory.resolve("far"));
        Random random = new Random(1);
        byte[] octets = new byte[LARGE];
        random.nextBytes(octets);
        Files.write(here.resolve("run/large"), octets);
        for (int i = 0; i < 20; i++) {
            Files.write(here.resolve("run/sub/small" + i), new byte[random.nextInt(50_000)]);
        }
        source = Mover.open(new MoverOptions(ANY, here, "source", true, 64, MoverOptions.MEMORY));
        client = new TamanoirClient();
    }

    @AfterEach
    void stop() {
        client.close();
        source.close();
    }

    private Mover destination(boolean readOnly, int most) {
        return Mover.open(new MoverOptions(ANY, far, "destination", readOnly, 64, MoverOptions.MEMORY), new FetchOptions(most, null, null));
    }

    private ThirdParty ask(String name, InetSocketAddress destination, String sourceToken, long rate) {
        CopyOptions how = CopyOptions.PRESET.token("destination").streams(3, Extent.SMALLEST).rate(rate).patience(Duration.ofSeconds(20));
        return new ThirdParty(name, List.of(Place.parse("tam://127.0.0.1:" + source.address().getPort() + "/run")), Place.parse("tam://127.0.0.1:" + destination.getPort() + "/in"), how,
                sourceToken, List.of(), client);
    }

    private CompletableFuture<CopyReport> begin(ThirdParty asked) {
        return CompletableFuture.supplyAsync(() -> {
            try (asked) {
                return asked.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void isWhole() throws IOException {
        assertThat(Files.mismatch(here.resolve("run/large"), far.resolve("in/large"))).isEqualTo(-1);
        for (int i = 0; i < 20; i++) {
            assertThat(Files.mismatch(here.resolve("run/sub/small" + i), far.resolve("in/sub/small" + i))).isEqualTo(-1);
        }
        assertThat(far.resolve("in/.tamanoir-large.part")).doesNotExist();
    }

    /** Wrong: octets of files that pass by whoever asks. */
    @Test
    void octetsGoFromMoverToMover() throws Exception {
        try (Mover destination = destination(false, 1); BadWay way = new BadWay(destination.address(), 1, Integer.MAX_VALUE)) {
            try (ThirdParty asked = ask("one", way.address(), "source", 0)) {
                CopyReport report = asked.run();
                assertThat(report.files()).isEqualTo(21);
                assertThat(report.moved()).isGreaterThan(LARGE);
            }
            isWhole();
            assertThat(way.carried()).as("octets that passed by the asker").isLessThan(20_000);
            assertThat(source.status().octets()).isGreaterThan(LARGE);
            try (ThirdParty asked = ask("two", way.address(), "source", 0)) {
                assertThat(asked.run().present()).isEqualTo(21);
            }
        }
    }

    /** Wrong: a copy that ends with the stream of whoever asked for it, or begins anew each time. */
    @Test
    @Tag("long")
    void whoeverAsksMayLoseItsWay() throws Exception {
        try (Mover destination = destination(false, 1); BadWay way = new BadWay(destination.address(), 1, Integer.MAX_VALUE)) {
            ThirdParty asked = ask("one", way.address(), "source", 1_000_000);
            CompletableFuture<CopyReport> copy = begin(asked);
            for (int i = 0; i < 3; i++) {
                // More than now: a stream is there again.
                long enough = asked.progress().moved() + 600_000;
                await().atMost(30, TimeUnit.SECONDS).until(() -> asked.progress().moved() > enough);
                way.cut();
            }
            CopyReport report = copy.get(60, TimeUnit.SECONDS);
            assertThat(report.failed()).isEmpty();
            assertThat(report.lostStreams()).isGreaterThanOrEqualTo(3);
            assertThat(report.moved()).as("octets sent twice").isLessThan(LARGE + LARGE / 2);
        }
        isWhole();
    }

    /** Wrong: a mover that copies on when nobody wants it, that throws away what came, and two of one name at once. */
    @Test
    @Tag("long")
    void itEndsWhenItIsStoppedAndWhenItIsAskedForAnew() throws Exception {
        try (Mover destination = destination(false, 2)) {
            ThirdParty stopped = ask("one", destination.address(), "source", 500_000);
            CompletableFuture<CopyReport> first = begin(stopped);
            await().atMost(30, TimeUnit.SECONDS).until(() -> stopped.progress().moved() > 1_000_000);
            assertThat(stopped.progress().ofFiles()).isEqualTo(21);
            stopped.stop();
            assertThatThrownBy(first::get).isInstanceOf(ExecutionException.class).hasMessageContaining("EE-210");
            await().atMost(30, TimeUnit.SECONDS).until(() -> destination.status().fetches() == 0);
            assertThat(far.resolve("in/.tamanoir-large.part")).exists();

            CompletableFuture<CopyReport> second = begin(ask("one", destination.address(), "source", 100_000));
            await().atMost(30, TimeUnit.SECONDS).until(() -> destination.status().fetches() == 1);
            CopyReport third = begin(ask("one", destination.address(), "source", 0)).get(60, TimeUnit.SECONDS);
            assertThat(third.resumed()).isGreaterThan(500_000);
            assertThatThrownBy(second::get).hasMessageContaining("EE-210");
            isWhole();
        }
    }

    @Test
    @Tag("long")
    void whoMayNotHearsIt() {
        try (Mover destination = destination(false, 1)) {
            assertThatThrownBy(() -> ask("one", destination.address(), "other", 0).run()).isInstanceOf(AnepException.class).hasMessageContaining("EE-406");
            InetSocketAddress nobody = new InetSocketAddress("127.0.0.1", 1);
            CopyOptions how = CopyOptions.PRESET.token("destination").streams(1, Extent.SMALLEST).patience(Duration.ofSeconds(2));
            assertThatThrownBy(() -> new ThirdParty("one", List.of(Place.parse("tam://127.0.0.1:1/x")), Place.parse("tam://127.0.0.1:" + destination.address().getPort() + "/in"), how, null,
                    List.of(), client).run()).hasMessageContaining("EE-204");
            assertThatThrownBy(() -> new ThirdParty("one", List.of(Place.parse("tam://127.0.0.1:1/x")), new Place(List.of(nobody), "in", false), how, null, List.of(), client).run())
                    .hasMessageContaining("EE-754");
        }
        try (Mover readOnly = destination(true, 1)) {
            assertThatThrownBy(() -> ask("one", readOnly.address(), "source", 0).run()).hasMessageContaining("EE-414");
        }
        try (Mover none = destination(false, 0)) {
            assertThatThrownBy(() -> ask("one", none.address(), "source", 0).run()).hasMessageContaining("EE-410");
        }
    }
}
