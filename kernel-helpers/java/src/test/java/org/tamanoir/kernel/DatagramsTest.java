package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Datagrams over loopback: what was said of each arrives with it. */
class DatagramsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long SINCE_1900 = 2_208_988_800L;

    private final Datagrams datagrams = new Datagrams();
    private final DatagramBatch out = new DatagramBatch(100);
    private final DatagramBatch in = new DatagramBatch(200);

    @AfterEach
    void close() {
        datagrams.close();
    }

    /** A socket of both families meets both; one of an address meets its own. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1", "0.0.0.0, 127.0.0.1", "::1, ::1", "::, ::1", "::, 127.0.0.1"})
    void timeCodePointAndTimeToLiveArrive(String bound, String to) throws IOException {
        Datagrams.Socket receiver = datagrams.open(new InetSocketAddress(bound, 0));
        Datagrams.Socket sender = datagrams.open(new InetSocketAddress(0));
        InetSocketAddress there = new InetSocketAddress(to, receiver.address().getPort());
        long before = now();
        for (int i = 0; i < 100; i++) {
            out.address(i, there, 16 + i, i << 2);
            out.octets().putInt(out.at(i), i);
        }
        out.length(50, 0);
        assertThat(sender.send(out, 64, 8)).as("one is passed over").isEqualTo(63);
        int count = 0;
        while (count < 63) {
            datagrams.await(List.of(receiver), SECOND);
            int more = receiver.receive(in);
            assertThat(more).as("arrived in time").isPositive();
            for (int i = 0; i < more; i++, count++) {
                int number = in.octets().getInt(in.at(i));
                assertThat(in.length(i)).isEqualTo(16 + number);
                assertThat(in.tos(i)).isEqualTo(number << 2);
                assertThat(in.ttl(i)).isEqualTo(64);
                assertThat(in.cut(i)).isFalse();
                assertThat(in.peer(i)).isEqualTo(new InetSocketAddress(to, sender.address().getPort()));
                assertThat(in.time(i)).isBetween(before, now());
                long stamp = in.octets().getLong(in.at(i) + 8);
                long stamped = ((stamp >>> 32) - SINCE_1900) * SECOND + (((stamp & 0xFFFF_FFFFL) * SECOND) >>> 32);
                assertThat(stamped).isBetween(out.time(number) - 1, out.time(number));
            }
        }
        assertThat(out.time(50)).as("not sent").isZero();
        answerFromTheAddressThatWasAsked(receiver, sender, there);
    }

    private void answerFromTheAddressThatWasAsked(Datagrams.Socket receiver, Datagrams.Socket sender, InetSocketAddress there) throws IOException {
        assertThat(receiver.send(in, 1, -1)).isEqualTo(1);
        datagrams.await(List.of(sender), SECOND);
        assertThat(sender.receive(out)).isEqualTo(1);
        assertThat(out.peer(0)).isEqualTo(there);
    }

    @Test
    void whatIsTooLongIsCutAndSaysSo() throws IOException {
        Datagrams.Socket receiver = datagrams.open(new InetSocketAddress("127.0.0.1", 0));
        try (java.net.DatagramSocket other = new java.net.DatagramSocket()) {
            other.send(new java.net.DatagramPacket(new byte[DatagramBatch.STRIDE + 1], DatagramBatch.STRIDE + 1, receiver.address()));
            other.send(new java.net.DatagramPacket(new byte[DatagramBatch.STRIDE], DatagramBatch.STRIDE, receiver.address()));
        }
        datagrams.await(List.of(receiver), SECOND);
        assertThat(receiver.receive(in)).isEqualTo(2);
        assertThat(in.cut(0)).isTrue();
        assertThat(in.cut(1)).isFalse();
    }

    @Test
    void waitingEndsInTimeOrWhenItIsWoken() throws Exception {
        Datagrams.Socket quiet = datagrams.open(new InetSocketAddress("127.0.0.1", 0));
        long begun = System.nanoTime();
        datagrams.await(List.of(quiet), 20_000_000);
        assertThat(System.nanoTime() - begun).isBetween(20_000_000L, SECOND);
        datagrams.wake();
        datagrams.await(List.of(quiet), 3600 * SECOND);
        begun = System.nanoTime();
        datagrams.await(List.of(quiet), 1_000_000);
        assertThat(System.nanoTime() - begun).as("woken once").isGreaterThanOrEqualTo(1_000_000L);
        assertThat(quiet.receive(in)).isZero();
    }

    @Test
    void anAddressThatCannotBeHadIsNamed() throws IOException {
        Datagrams.Socket first = datagrams.open(new InetSocketAddress("127.0.0.1", 0));
        assertThatThrownBy(() -> datagrams.open(first.address())).isInstanceOf(IOException.class).hasMessage("address already in use");
        assertThatThrownBy(() -> datagrams.open(new InetSocketAddress("192.0.2.1", 0))).hasMessage("no address of this machine");
        assertThat(Datagrams.clockQuality().errorNanos()).isNotNegative();
    }

    private static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * SECOND + now.getNano();
    }
}
