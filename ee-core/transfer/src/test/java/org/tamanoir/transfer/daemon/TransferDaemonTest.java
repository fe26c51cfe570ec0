package org.tamanoir.transfer.daemon;

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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;
import org.tamanoir.transfer.queue.Limits;
import org.tamanoir.transfer.queue.RetryPolicy;
import org.tamanoir.transfer.queue.Transfer.State;
import org.tamanoir.transfer.queue.TransferRequest;

@Timeout(120)
class TransferDaemonTest {
    private static final String NOBODY = "tam://127.0.0.1:1/in";

    @TempDir
    private Path directory;
    private Path data;
    private Mover mover;

    @BeforeEach
    void start() throws IOException {
        data = directory.resolve("data");
        Path root = Files.createDirectories(directory.resolve("root"));
        Files.writeString(root.resolve("file"), "content");
        Files.writeString(root.resolve("goes"), "content");
        mover = Mover.open(new MoverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), root, null, false, 16, MoverOptions.MEMORY));
    }

    @AfterEach
    void stop() {
        mover.close();
    }

    private TransferDaemon daemon() {
        return new TransferDaemon(new DaemonOptions(data, null, null, new Limits(8, 4, 1), new RetryPolicy(50, 1_000, 3), 3, place -> null, List.of(), null, null, Duration.ofMillis(500), null));
    }

    private String place(String path) {
        return "tam://127.0.0.1:" + mover.address().getPort() + "/" + path;
    }

    private static TransferRequest request(String from, String to) {
        return new TransferRequest(List.of(from), to, null, null, 2, 1 << 20, null, null, false, false, 0, 0, 0, false);
    }

    private static State state(TransferDaemon daemon, String id) {
        return daemon.view(id).transfer().state();
    }

    /** EE-757, and a mover that is not there: tried three times, and the reason said. Wrong: an id that is given twice after a restart, and what is over forgotten. */
    @Test
    @Tag("long")
    void whatFailsIsTriedAgainAndThenSaid() {
        try (TransferDaemon daemon = daemon()) {
            assertThat(daemon.submit(request(place("file"), NOBODY), false).transfer().id()).isEqualTo("t-1");
            daemon.submit(request(place("file"), NOBODY + "2"), false);
            daemon.submit(request(place("file"), NOBODY + "3"), false);
            assertThatThrownBy(() -> daemon.submit(request(place("file"), place("copy")), false)).hasMessageContaining("EE-757");
            await().atMost(60, TimeUnit.SECONDS).until(() -> state(daemon, "t-1") == State.FAILED);
            assertThat(Words.why(daemon.view("t-1")).get(0)).contains("failed for good").contains("3 attempts").contains("EE-754").contains("EE-204");
            daemon.cancel("t-2");
            daemon.cancel("t-3");
        }
        try (TransferDaemon again = daemon()) {
            assertThat(state(again, "t-1")).isEqualTo(State.FAILED);
            assertThat(state(again, "t-2")).isEqualTo(State.CANCELLED);
            assertThat(again.submit(request(place("file"), place("copy")), false).transfer().id()).isEqualTo("t-4");
            await().atMost(60, TimeUnit.SECONDS).until(() -> state(again, "t-4") == State.DONE);
            assertThat(directory.resolve("root/copy")).hasContent("content");
        }
    }

    /** Wrong: what another attempt does not change tried again. */
    @Test
    @Tag("long")
    void whatIsNotThereAnyMoreFailsAtOnce() throws Exception {
        try (TransferDaemon daemon = daemon()) {
            daemon.submit(request(place("file"), NOBODY), false);
            // The link is taken: this one begins after its source has gone.
            daemon.submit(request(place("goes"), place("copy")), false);
            Files.delete(directory.resolve("root/goes"));
            await().atMost(60, TimeUnit.SECONDS).until(() -> state(daemon, "t-2").isOver());
            assertThat(state(daemon, "t-2")).isEqualTo(State.FAILED);
            assertThat(daemon.view("t-2").transfer().attempts()).hasSize(1);
            assertThat(Words.why(daemon.view("t-2")).get(0)).contains("EE-407");
        }
    }

    @ParameterizedTest
    @CsvSource({"/etc/passwd, tam://h:1/x, EE-408", "tam://127.0.0.1:1/x, /tmp/x, EE-408", "tam://127.0.0.1:1/../x, tam://127.0.0.1:1/y, EE-108", "ftp://x/y, tam://127.0.0.1:1/y, EE-408"})
    void whatMakesNoSenseIsNotTaken(String from, String to, String code) {
        try (TransferDaemon daemon = daemon()) {
            assertThatThrownBy(() -> daemon.submit(request(from, to), false)).isInstanceOf(AnepException.class).hasMessageContaining(code);
            assertThat(daemon.views()).isEmpty();
        }
    }

    /** Wrong: a queue that begins with nothing in place of one that cannot be read. */
    @Test
    void aQueueThatIsDamagedIsSaid() throws Exception {
        try (TransferDaemon daemon = daemon()) {
            daemon.submit(request(place("file"), NOBODY), false);
        }
        Path file = data.resolve("transfers.mv");
        byte[] octets = Files.readAllBytes(file);
        for (int i = 0; i < octets.length - 3; i++) {
            if (octets[i] == 'f' && octets[i + 1] == 'i' && octets[i + 2] == 'l' && octets[i + 3] == 'e') {
                octets[i] = 'm';
            }
        }
        Files.write(file, octets);
        assertThatThrownBy(this::daemon).hasMessageContaining("EE-813").hasMessageContaining("transfers.mv");
        assertThat(file).exists();
    }

    /** What watches a queue asks for no more than it shows. Wrong: the oldest, which are long over, in place of those that are open. */
    @Test
    @Tag("long")
    void theListIsCutBehindWhatIsOpenAndWhatEndedLast() {
        try (TransferDaemon daemon = daemon(); HttpServer server = TransferApi.serve(daemon, new InetSocketAddress("127.0.0.1", 0), null, null)) {
            for (int i = 1; i <= 4; i++) {
                daemon.submit(request(place("file"), NOBODY + i), false);
                if (i < 4) {
                    daemon.cancel("t-" + i);
                }
            }
            HttpFetch api = HttpFetch.of(server.url(), ErrorCode.NO_QUEUE);
            assertThat(api.json("/transfers").findValuesAsText("id")).containsExactly("t-1", "t-2", "t-3", "t-4");
            assertThat(api.json("/transfers?most=2").findValuesAsText("id")).containsExactly("t-4", "t-3");
            assertThatThrownBy(() -> api.json("/transfers?most=-1")).hasMessageContaining("EE-408");
        }
    }
}
