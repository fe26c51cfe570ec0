package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.kernel.KernelFlow.FlowCounters;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.RuleCounters;
import org.tamanoir.service.rule.Treatment;

/** Rules, flows and the life of a handle. Nothing is attached: no packet of this host is looked at. */
@Tag("lab")
class KernelTest {
    private static final KernelOptions OPTIONS = new KernelOptions(7, 3322, 3324, 64, 64, true);
    private static final long MS = 1_000_000;
    private static final Match TYPE = Match.type(0x5500);

    @BeforeEach
    void needs() {
        KernelProbe probe = KernelProbe.of();
        for (Feature feature : List.of(Feature.BPF, Feature.PERFMON, Feature.TCX)) {
            assumeTrue(probe.has(feature), () -> probe.missing(feature).orElse(""));
        }
    }

    /** Ten packets at once, five a millisecond apart, six half a millisecond apart, the first at 5.5 ms (RFC 2697, RFC 2698). */
    @Test
    void metersColourAsTheirDefinitionsSay() {
        long[] times = IntStream.range(0, 21).mapToLong(i -> i < 10 ? 0 : i < 15 ? (i - 9) * MS : 5 * MS + (i - 14) * MS / 2).toArray();
        assertThat(colours(Meter.singleRate(1_000_000, 3_000, 3_000), times)).isEqualTo("GGGYYYRRRRGGGGGRGRGRG");
        assertThat(colours(Meter.twoRate(1_000_000, 3_000, 2_000_000, 5_000), times)).isEqualTo("GGGYYRRRRRGGGGGYGYGYG");
    }

    @Test
    void countersGoOnWhenARuleIsReplacedAndEndWithIt() {
        try (Kernel kernel = Kernel.open(OPTIONS)) {
            kernel.put(3, 1, new LightRule("a", TYPE, List.of(Action.count(), Action.dscp(46), Action.forward())));
            assertThat(kernel.apply(3, 1_000, Colour.GREEN)).isEqualTo(new RuleOutcome(RuleOutcome.Kind.FORWARD, 46));
            kernel.put(3, 2, new LightRule("a", TYPE, List.of(Action.count(), Action.drop())));
            assertThat(kernel.apply(3, 500, Colour.GREEN)).isEqualTo(new RuleOutcome(RuleOutcome.Kind.DROP, -1));
            kernel.put(3, 2, new LightRule("a", TYPE, List.of(Action.count())));
            assertThat(kernel.apply(3, 24, Colour.RED)).isEqualTo(new RuleOutcome(RuleOutcome.Kind.UP, -1));
            assertThat(kernel.counters(3)).isEqualTo(new RuleCounters(3, 1_524, 0, 0, 0, 1, 1));
            assertThat(kernel.remove(3)).isTrue();
            assertThat(kernel.remove(3)).isFalse();
            kernel.put(3, 1, new LightRule("b", TYPE, List.of(Action.count())));
            assertThat(kernel.counters(3)).isEqualTo(RuleCounters.NONE);
        }
    }

    @Test
    void whatCannotBeDoneHasACode() throws Exception {
        LightRule rule = new LightRule("a", TYPE, List.of(Action.drop()));
        try (Kernel kernel = Kernel.open(OPTIONS)) {
            kernel.put(0, 1, rule);
            assertThatThrownBy(() -> kernel.put(1, 1, rule)).hasMessageStartingWith("EE-602").hasMessageContaining("same match");
            assertThatThrownBy(() -> kernel.put(64, 2, rule)).hasMessageStartingWith("EE-602").hasMessageContaining("from 0 to 63");
            assertThatThrownBy(() -> kernel.put(-1, 2, rule)).hasMessageStartingWith("EE-602");
            assertThatThrownBy(() -> kernel.counters(5)).hasMessageStartingWith("EE-602");
            assertThatThrownBy(() -> kernel.apply(5, 100, Colour.GREEN)).hasMessageStartingWith("EE-602");
            assertThatThrownBy(() -> kernel.flow(5)).hasMessageStartingWith("EE-602");
            assertThatThrownBy(() -> kernel.attach(0x7FFFFFFF, false)).hasMessageStartingWith("EE-604");
            assertThatThrownBy(() -> kernel.refuse(65_536, true)).hasMessageStartingWith("EE-602");
            assertThatThrownBy(() -> {
                for (int bits = 0; bits <= 32; bits++) {
                    kernel.put(bits + 1, bits, new LightRule("p", Match.all().to(new org.tamanoir.service.rule.Prefix(
                            InetAddress.getByName("0.0.0.0"), bits)), List.of(Action.drop())));
                }
            }).as("more prefix lengths than a packet may cost").hasMessageStartingWith("EE-603");
            assertThat(kernel.removeFlow(5)).isFalse();
            assertThat(kernel.attached(0x7FFFFFFF)).isFalse();
            kernel.detach(0x7FFFFFFF);
            kernel.addAddress(InetAddress.getByName("192.0.2.1"));
            kernel.addAddress(InetAddress.getByName("192.0.2.1"));
            kernel.removeAddress(InetAddress.getByName("192.0.2.1"));
            kernel.removeAddress(InetAddress.getByName("192.0.2.1"));
            kernel.putFlow(0, flow());
            assertThat(kernel.flow(0)).isEqualTo(new FlowCounters(0, 0, 0, 0, 0));
            assertThatThrownBy(() -> kernel.putFlow(1, flow())).hasMessageStartingWith("EE-602");
            assertThat(kernel.removeFlow(0)).isTrue();
        }
        for (KernelOptions bad : List.of(new KernelOptions(1, 0, 0, 1, 1, false), new KernelOptions(1, 65_536, 0, 1, 1, false),
                new KernelOptions(1, 1, -1, 1, 1, false))) {
            assertThatThrownBy(() -> Kernel.open(bad)).hasMessageStartingWith("EE-602");
        }
        assertThatThrownBy(() -> Kernel.open(new KernelOptions(1, 1, 0, 65_537, 1, false))).hasMessageStartingWith("EE-60");
    }

    @Test
    void afterTheCloseEveryCallIsRefused() {
        Kernel kernel = Kernel.open(OPTIONS);
        kernel.close();
        kernel.close();
        InetAddress address = InetAddress.getLoopbackAddress();
        List<ThrowingCallable> calls = List.of(() -> kernel.attach(1, false), () -> kernel.detach(1), () -> kernel.attached(1),
                kernel::attachPassing, () -> kernel.addAddress(address), () -> kernel.removeAddress(address),
                () -> kernel.put(0, 0, new LightRule("a", TYPE, List.of(Action.drop()))), () -> kernel.remove(0), () -> kernel.counters(0),
                () -> kernel.apply(0, 1, Colour.GREEN), () -> kernel.putFlow(0, flow()), () -> kernel.removeFlow(0), () -> kernel.flow(0),
                () -> kernel.refuse(1, true), () -> kernel.refused(1), kernel::statistics, () -> kernel.event(Duration.ZERO),
                () -> kernel.nft("list ruleset"), () -> kernel.clock(1), () -> kernel.run(1, new byte[64]));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call).hasMessageStartingWith("EE-601").hasMessageContaining("closed");
        }
    }

    /** Closing while others call: whoever came first is let finish, whoever comes later is refused, and nobody touches freed memory. */
    @Test
    void closingWaitsForCallsAndWakesWhoeverWaits() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        for (int round = 0; round < 20; round++) {
            Kernel kernel = Kernel.open(OPTIONS);
            kernel.put(0, 0, new LightRule("a", TYPE, List.of(Action.count())));
            CountDownLatch under = new CountDownLatch(4);
            List<CompletableFuture<String>> callers = new ArrayList<>();
            callers.add(CompletableFuture.supplyAsync(() -> untilRefused(() -> {
                under.countDown();
                kernel.event(Duration.ofMinutes(5));
            }), threads));
            for (int i = 0; i < 3; i++) {
                callers.add(CompletableFuture.supplyAsync(() -> untilRefused(() -> {
                    kernel.apply(0, 1, Colour.GREEN);
                    kernel.statistics();
                    under.countDown();
                }), threads));
            }
            assertThat(under.await(10, TimeUnit.SECONDS)).isTrue();
            CompletableFuture.runAsync(kernel::close, threads).get(10, TimeUnit.SECONDS);
            for (CompletableFuture<String> caller : callers) {
                assertThat(caller.get(10, TimeUnit.SECONDS)).startsWith("EE-601").contains("closed");
            }
        }
        threads.shutdown();
    }

    private static String untilRefused(Runnable call) {
        while (true) {
            try {
                call.run();
            } catch (RuntimeException e) {
                return e.getMessage();
            }
        }
    }

    private static String colours(Meter meter, long[] times) {
        try (Kernel kernel = Kernel.open(OPTIONS)) {
            kernel.clock(times[0]);
            kernel.put(0, 0, new LightRule("m", TYPE, List.of(Action.police(meter, Treatment.PASS, Treatment.mark(12), Treatment.DROP))));
            StringBuilder colours = new StringBuilder();
            for (long time : times) {
                kernel.clock(time);
                RuleOutcome done = kernel.apply(0, 1_000, Colour.GREEN);
                colours.append(done.kind() == RuleOutcome.Kind.DROP ? 'R' : done.dscp() == 12 ? 'Y' : 'G');
            }
            RuleCounters counters = kernel.counters(0);
            assertThat(counters.green()).isEqualTo(colours.chars().filter(colour -> colour == 'G').count());
            assertThat(counters.yellow()).isEqualTo(colours.chars().filter(colour -> colour == 'Y').count());
            assertThat(counters.red()).isEqualTo(counters.dropped()).isEqualTo(colours.chars().filter(colour -> colour == 'R').count());
            return colours.toString();
        }
    }

    private static KernelFlow flow() {
        return new KernelFlow(new InetSocketAddress("192.0.2.1", 1), new InetSocketAddress("192.0.2.2", 2), new InetSocketAddress("192.0.2.3", 3),
                0x5500, 5L, null, false);
    }
}
