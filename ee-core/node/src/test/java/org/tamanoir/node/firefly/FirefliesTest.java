package org.tamanoir.node.firefly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.service.Transport;
import org.tamanoir.settings.Settings;

/** Messages to a collector are bounded, and nothing of them is the stream's business. */
@Timeout(60)
class FirefliesTest {
    private static final InetSocketAddress HERE = new InetSocketAddress("2001:db8::1", 40000);
    private static final InetSocketAddress THERE = new InetSocketAddress("2001:db8::2", 3322);

    private static FireflySettings to(InetSocketAddress collector, int rate) {
        return new FireflySettings(collector, 2, 9, rate, false);
    }

    @Test
    void moreThanMayBeSentInASecondAreDroppedAndCounted() throws Exception {
        try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                Fireflies fireflies = new Fireflies(() -> to((InetSocketAddress) collector.getLocalSocketAddress(), 5))) {
            for (int i = 0; i < 1000; i++) {
                fireflies.ended(fireflies.began(Transport.TCP, () -> HERE, THERE), 10, 20);
            }
            assertThat(fireflies.sent().sum() + fireflies.dropped().sum()).isEqualTo(2000);
            assertThat(fireflies.sent().sum()).isBetween(5L, 1000L);
            DatagramPacket message = new DatagramPacket(new byte[2000], 2000);
            collector.receive(message);
            String text = new String(message.getData(), 0, message.getLength(), StandardCharsets.UTF_8);
            assertThat(text).contains("{\"afi\":\"ipv6\",\"src-ip\":\"2001:db8:0:0:0:0:0:1\",\"dst-ip\":\"2001:db8:0:0:0:0:0:2\",\"protocol\":\"tcp\",\"src-port\":40000,\"dst-port\":3322}");
        }
    }

    /** Wrong: a stream that fails because nobody can be told of it, or one that is told of after its operator has said no. */
    @Test
    void whatCannotBeSentIsCountedAndNobodyIsToldAgainstTheConfiguration() {
        AtomicReference<FireflySettings> settings = new AtomicReference<>();
        Fireflies fireflies = new Fireflies(settings::get);
        assertThat(fireflies.began(Transport.UDP, () -> {
            throw new AssertionError("nobody asks for the address");
        }, THERE)).isNull();
        // A network to which no way leads, or port 0, which no datagram can be sent to.
        settings.set(to(new InetSocketAddress("127.0.0.1", 0), 5));
        Flow flow = fireflies.began(Transport.UDP, () -> HERE, THERE);
        assertThat(flow).isNotNull();
        assertThat(fireflies.dropped().sum()).isEqualTo(1);
        settings.set(null);
        fireflies.ended(flow, 1, 1);
        fireflies.close();
        settings.set(to(new InetSocketAddress("127.0.0.1", 9), 5));
        fireflies.ended(flow, 1, 1);
        assertThat(fireflies.sent().sum()).isZero();
        assertThat(fireflies.dropped().sum()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fireflies.experiment | 0 | fireflies.experiment: it is 0; it must be from 1 to 1023",
        "fireflies.activity | 64 | fireflies.activity: it is 64; it must be from 0 to 63",
        "fireflies.rate | 0 | fireflies.rate: it is 0; it must be from 1 to 100000",
        "fireflies.to | nowhere | fireflies.to",
        "fireflies.none | 1 | fireflies.none: there is no such key"})
    void aWrongKeyIsNamed(String key, String value, String said) {
        Settings settings = Settings.none().set("fireflies.to", "127.0.0.1:10514").set("fireflies.experiment", 2).set(key, value);
        assertThatThrownBy(() -> NodeConfiguration.of(settings)).hasMessageContaining("EE-501").hasMessageContaining(said);
    }

    /** As scitags/flowd (4ea9e45a) makes them where the five bits at random are 0, and where they are 1. */
    @ParameterizedTest
    @CsvSource({"1, 1, 0x20004, 0xe0107", "2, 9, 0x10024, 0xd0127", "6, 63, 0x180fc, 0xd81ff", "511, 0, 0x3fe00, 0xfff03", "256, 32, 0x280, 0xc0383"})
    void aFlowLabelIsThatOfSciTags(int experiment, int activity, String zeros, String ones) {
        FireflySettings settings = new FireflySettings(null, experiment, activity, 1, true);
        assertThat(settings.flowLabel(0)).isEqualTo(Integer.decode(zeros));
        assertThat(settings.flowLabel(-1)).isEqualTo(Integer.decode(ones));
    }

    @Test
    void aLabelHasNoRoomForALargeExperiment() {
        Settings settings = Settings.none().set("fireflies.to", "127.0.0.1:10514").set("fireflies.experiment", 512);
        assertThat(NodeConfiguration.of(settings).fireflySettings().label()).isFalse();
        assertThatThrownBy(() -> NodeConfiguration.of(settings.set("fireflies.label", true))).hasMessageContaining("fireflies.experiment: it is 512; it must be from 1 to 511");
    }

    @Test
    void anExperimentMustBeSaid() {
        assertThatThrownBy(() -> NodeConfiguration.of(Settings.none().set("fireflies.to", "127.0.0.1:10514"))).hasMessageContaining("fireflies.experiment: it is missing");
        assertThat(NodeConfiguration.of(Settings.none()).fireflySettings()).isNull();
        FireflySettings settings = NodeConfiguration.of(Settings.none().set("fireflies.to", "127.0.0.1:10514").set("fireflies.experiment", 2)).fireflySettings();
        assertThat(settings).isEqualTo(new FireflySettings(new InetSocketAddress("127.0.0.1", 10514), 2, 1, 1000, false));
    }
}
