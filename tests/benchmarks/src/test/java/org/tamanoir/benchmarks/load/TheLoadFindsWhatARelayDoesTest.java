package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** A load program that believed what it gets would measure a path that loses, doubles or damages packets, or another path. */
class TheLoadFindsWhatARelayDoesTest {
    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Echoes after which a datagram that did not come counts as lost, and more. */
    private static final long BEHIND = 1500;

    private final LoadTool tool = LoadTool.make();
    private LabProcess server;
    private int port;
    private Mishandling relay;

    @BeforeEach
    void start() throws Exception {
        port = FreePort.onLoopback();
        server = LabProcess.start("server", tool.command("0", "serve", HOST, Integer.toString(port)));
        server.awaitLine("READY", PATIENCE);
        relay = new Mishandling(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    @AfterEach
    void stop() {
        relay.close();
        server.close();
    }

    private Command.Result run(String what, int to, int octets, String hops, String check) {
        return run(what, to, octets, "0.3", hops, check);
    }

    private Command.Result run(String what, int to, int octets, String seconds, String hops, String check) {
        List<String> command = new ArrayList<>(tool.command("0", what, HOST, Integer.toString(to), HOST, Integer.toString(octets), seconds,
                "0", hops, "8", check));
        return Command.tryRun(command, null, PATIENCE);
    }

    /** Runs as long as it takes to get well behind the mistake: on a busy machine a relay in Java is slow at first. */
    private LoadFigures datagrams(String what, int octets, Mishandling.ToDatagram mistake) throws IOException {
        for (String seconds : List.of("0.3", "1", "4")) {
            try (Mishandling fresh = new Mishandling(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                fresh.relayDatagrams(mistake);
                Command.Result result = run(what, fresh.datagramPort(), octets, seconds, "16", "check");
                assertThat(result.errors()).isEmpty();
                LoadFigures figures = LoadFigures.of(result.output());
                if (figures.get("echoed") > BEHIND) {
                    return figures;
                }
            }
        }
        throw new AssertionError("no " + BEHIND + " echoes in 4 s");
    }

    @Test
    void whatIsWellIsSaidToBeWell() throws IOException {
        LoadFigures figures = datagrams("udp-window", 1400, (number, octets, length) -> 1);
        assertThat(figures.get("echoed")).isGreaterThan(100);
        assertThat(List.of(figures.get("lost"), figures.get("late"), figures.get("stray"), figures.get("wrong-way"))).containsOnly(0L);
        assertThat(figures.perSecond("echoed")).isEqualTo(figures.get("echoed") * 1e9 / figures.get("nanos"));
    }

    /** The first echoes open the way and are not counted: the mistakes begin behind them. */
    @Test
    void aDatagramThatIsLostIsCounted() throws IOException {
        LoadFigures figures = datagrams("udp-trip", 64, (number, octets, length) -> number == 40 ? 0 : 1);
        assertThat(figures.get("lost")).isEqualTo(1);
        assertThat(figures.get("p99")).as("the time that was waited in vain is no round trip").isLessThan(200_000_000L);
    }

    @Test
    void aDatagramThatIsDoubledIsCounted() throws IOException {
        LoadFigures figures = datagrams("udp-window", 64, (number, octets, length) -> number == 40 ? 3 : 1);
        assertThat(figures.get("late")).isEqualTo(2);
        assertThat(figures.get("lost")).isZero();
    }

    @Test
    void aDatagramWithOneOtherOctetIsNoEcho() throws IOException {
        LoadFigures figures = datagrams("udp-window", 1400, (number, octets, length) -> {
            octets[700] ^= (byte) (number == 40 ? 1 : 0);
            return 1;
        });
        assertThat(figures.get("stray")).isEqualTo(1);
        assertThat(figures.get("lost")).isEqualTo(1);
    }

    @Test
    void echoesThatCameByNoNodeAreTold() {
        Command.Result result = run("udp-window", port, 64, "15", "echo");
        LoadFigures figures = LoadFigures.of(result.output());
        assertThat(figures.get("echoed")).isGreaterThan(100);
        assertThat(figures.get("wrong-way")).isEqualTo(figures.get("echoed"));
    }

    @Test
    void aStreamIsCountedToTheLastPacket() {
        LoadFigures figures = LoadFigures.of(run("tcp-blast", port, 8192, "-1", "echo").output());
        assertThat(figures.get("all")).isGreaterThan(10);
        assertThat(figures.get("octets")).isLessThanOrEqualTo(figures.get("all") * 8192);
    }

    @Test
    void aStreamWithADamagedPacketGivesNoFigure() {
        // Inside the number at the end of the fourth packet of 1,000 octets.
        relay.relayStream(3_998);
        Command.Result result = run("tcp-blast", relay.streamPort(), 1000, "-1", "echo");
        assertThat(result.exit()).isEqualTo(1);
        // The server says what was wrong, and resets a stream that still sends: which of the two arrives is chance.
        assertThat(result.errors()).containsAnyOf("1 of them not as they were sent", "the stream ended before the answer came");
    }
}
