package org.tamanoir.qos.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.domain.Domain.Queue;

/** What the kernel has after each step is read back with {@code tc}, in a namespace of this test's own. */
@Tag("lab")
class ADomainInTheKernelTest {
    private static final Domain FIVE = DomainFile.parse("rate: 200mbit", Set.of());
    private static final Domain TWO = DomainFile.parse("{rate: 100mbit, classes: {be: {rate: 99%, code-points: [0, 46]}, "
            + "lbe: {rate: 1%, queue: 200 packets}}}", Set.of());

    private Lab lab;
    private Host host;
    private Link link;
    private TcProgram tc;
    private int failAt;
    private DomainSetup setup;

    @BeforeEach
    void open() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        lab = Lab.open();
        host = lab.host("a");
        link = lab.link(host, lab.host("b"));
        tc = new TcProgram("ip", "netns", "exec", host.namespace());
        setup = new DomainSetup(tc, link.first().name());
    }

    @AfterEach
    void close() {
        if (lab != null) {
            lab.close();
        }
    }

    private String everything() {
        return host.run("sh", "-c", "tc qdisc show; tc -d class show dev $1; tc filter show dev $1", "sh", link.first().name()).output();
    }

    private KernelQueues read() {
        return KernelQueues.read(tc, link.first().name());
    }

    @Test
    void whatWasAskedForIsThereAndASecondTimeNothingIsDone() {
        assertThat(setup.apply(FIVE, false)).isNotEmpty();
        assertThat(read().queues()).isEqualTo(Queues.of(FIVE));
        String before = everything();
        assertThat(setup.plan(FIVE, false)).isEmpty();
        assertThat(setup.apply(FIVE, false)).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void removingLeavesTheInterfaceAsItWas() {
        String before = everything();
        assertThat(setup.remove()).isFalse();
        setup.apply(FIVE, false);
        assertThat(setup.remove()).isTrue();
        assertThat(everything()).isEqualTo(before);
    }

    /** Any way between any two domains: a plan that forgets a step, or takes them in a wrong order, ends elsewhere or fails. */
    @Test
    void fromEachDomainThereIsAWayToEachOther() {
        Random random = new Random(5404);
        for (int i = 0; i < 25; i++) {
            Domain next = random(random);
            setup.apply(next, false);
            assertThat(read().queues()).as("step %d", i).isEqualTo(Queues.of(next));
        }
    }

    private static Domain random(Random random) {
        long link = 1_000_000L * (50 + random.nextInt(3000));
        List<Integer> points = new ArrayList<>();
        for (int point = 0; point < 64; point += 1 + random.nextInt(12)) {
            points.add(point);
        }
        List<Domain.Share> shares = new ArrayList<>();
        for (StandardClass each : StandardClass.values()) {
            if (each == StandardClass.BE || random.nextBoolean()) {
                long rate = BitRates.printable(link * (1 + random.nextInt(20)) / 100);
                Queue.Kind kind = random.nextBoolean() ? Queue.Kind.PFIFO : Queue.Kind.BFIFO;
                int mine = Math.min(points.size(), random.nextInt(4));
                shares.add(new Domain.Share(each, rate, random.nextBoolean() ? rate : link, new Queue(kind, 1 + random.nextInt(1_000_000)),
                        List.copyOf(points.subList(0, mine))));
                points = points.subList(mine, points.size());
            }
        }
        return new Domain(BitRates.printable(link), shares);
    }

    /** Whichever command fails, the first or the last: the interface has what it had, with or without a domain before. */
    @Test
    void aFailureInTheMiddleLeavesTheInterfaceAsItWas() {
        String empty = everything();
        int steps = setup.plan(FIVE, false).size();
        for (failAt = 0; failAt < steps; failAt += 3) {
            assertThatThrownBy(() -> failing(FIVE)).hasMessageContaining("EE-810").hasMessageContaining("the interface is as it was");
            assertThat(everything()).as("without a domain, command %d", failAt).isEqualTo(empty);
        }
        setup.apply(TWO, false);
        steps = setup.plan(FIVE, false).size();
        for (failAt = 0; failAt < steps; failAt += 3) {
            assertThatThrownBy(() -> failing(FIVE)).hasMessageContaining("the interface is as it was");
            assertThat(read().queues()).as("with a domain, command %d", failAt).isEqualTo(Queues.of(TWO));
        }
    }

    /** Applies, and puts a command that the kernel refuses in place of the next one. */
    private void failing(Domain domain) {
        int at = failAt;
        boolean[] failed = new boolean[1];
        new DomainSetup(new TrafficControl() {
            @Override
            public String ask(List<String> arguments) {
                return tc.ask(arguments);
            }

            @Override
            public void batch(List<String> lines) {
                List<String> changed = new ArrayList<>(lines);
                if (!failed[0]) {
                    changed.set(at, "class add dev " + link.first().name() + " parent 1: classid 1:1 htb rate 1mbit");
                    failed[0] = true;
                }
                tc.batch(changed);
            }
        }, link.first().name()).apply(domain, false);
    }

    @Test
    void countersGoOnWhenAnotherClassIsChanged() throws Exception {
        setup.apply(FIVE, false);
        send(3, 8, link.second().ipv4());
        send(2, 46, link.second().ipv6());
        setup.apply(DomainFile.parse("{rate: 200mbit, classes: {ef: {rate: 10%}, be: {rate: 50%, queue: 50ms}, lbe: {rate: 1%}}}", Set.of()), false);
        DomainStatus status = settled();
        assertThat(status.classes()).extracting(DomainStatus.Class::name).containsExactly("EF", "BE", "LBE");
        assertThat(packets(status, "LBE")).isEqualTo(3);
        assertThat(packets(status, "EF")).as("two, and what the neighbours asked each other").isGreaterThanOrEqualTo(4);
        assertThat(status.classes().get(2).octets()).as("Ethernet, IP, UDP").isEqualTo(3 * (14 + 20 + 8 + 100));
    }

    private void send(int count, int codePoint, InetAddress to) throws Exception {
        host.inside(() -> {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setTrafficClass(codePoint << 2);
                for (int i = 0; i < count; i++) {
                    socket.send(new DatagramPacket(new byte[100], 100, to, 7000));
                }
            }
            return null;
        });
    }

    /** The first packets wait until the neighbour has answered. */
    private DomainStatus settled() throws InterruptedException {
        DomainStatus status = setup.show();
        for (int i = 0; i < 100 && packets(status, "EF") < 4; i++) {
            Thread.sleep(30);
            status = setup.show();
        }
        return status;
    }

    private static long packets(DomainStatus status, String name) {
        return status.classes().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow().packets();
    }

    @Test
    void queuesOfOthersStayUnlessForced() {
        tc.batch(List.of("qdisc add dev " + link.first().name() + " root tbf rate 100mbit burst 128kb latency 50ms"));
        String before = everything();
        assertThatThrownBy(() -> setup.apply(FIVE, false)).isInstanceOfSatisfying(AnepException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.DOMAIN_FOREIGN);
            assertThat(e.text()).contains("tbf").contains("--force");
        });
        assertThatThrownBy(setup::remove).hasMessageContaining("EE-811");
        assertThatThrownBy(() -> new DomainSetup(new HalfWay(), link.first().name()).apply(FIVE, true)).hasMessageContaining("is as it was");
        assertThat(everything()).isEqualTo(before);
        setup.apply(FIVE, true);
        assertThat(read().queues()).isEqualTo(Queues.of(FIVE));
    }

    /** Fails after the first batch has begun: the foreign queue has gone then. */
    private final class HalfWay implements TrafficControl {
        private boolean failed;

        @Override
        public String ask(List<String> arguments) {
            return tc.ask(arguments);
        }

        @Override
        public void batch(List<String> lines) {
            if (!failed) {
                failed = true;
                tc.batch(lines.subList(0, 5));
                throw new AnepException(ErrorCode.DOMAIN_FAILED, "made to fail");
            }
            tc.batch(lines);
        }
    }

    @Test
    void aFailureSaysWhatTcSaidAndWhatToDo() {
        assertThatThrownBy(() -> new DomainSetup(tc, "nosuch").show()).hasMessageContaining("Cannot find device").hasMessageContaining("ip link");
        assertThatThrownBy(() -> new DomainSetup(tc, "a b\nqdisc")).hasMessageContaining("is no name of an interface");
        TcProgram powerless = new TcProgram("ip", "netns", "exec", host.namespace(), "setpriv", "--inh-caps=-net_admin", "--bounding-set=-net_admin");
        String before = everything();
        assertThatThrownBy(() -> new DomainSetup(powerless, link.first().name()).apply(FIVE, false)).hasMessageContaining("EE-810")
                .hasMessageContaining("CAP_NET_ADMIN");
        assertThat(everything()).isEqualTo(before);
    }
}
