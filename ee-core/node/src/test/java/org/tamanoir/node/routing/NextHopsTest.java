package org.tamanoir.node.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.HopCheck;

/** Which next hop a stream takes. */
class NextHopsTest {
    private static final String A = "192.0.2.1:3322";
    private static final String B = "192.0.2.2:3322";
    private static final String C = "192.0.2.3:3322";

    private long now = 1;
    private final NextHops hops = new NextHops(() -> now, new Random(17));
    private final Route route = Route.of("198.51.100.0/24", A + "*3," + B + "," + C + "*0");

    NextHopsTest() {
        hops.of(List.of(route));
    }

    private static InetSocketAddress at(String text) {
        return NextHop.parse(text).address();
    }

    private void says(String hop, HopCheck what) {
        HopHealth health = hops.health(at(hop));
        health.answered(what, health.ask(), now);
    }

    /** How often each hop is the first of a thousand. */
    private Map<String, Integer> firsts() {
        Map<String, Integer> firsts = new HashMap<>();
        for (int i = 0; i < 1000; i++) {
            List<InetSocketAddress> order = hops.inOrder(route);
            assertThat(order).as("every hop, once").containsExactlyInAnyOrder(at(A), at(B), at(C));
            firsts.merge(order.get(0).getAddress().getHostAddress() + ":3322", 1, Integer::sum);
        }
        return firsts;
    }

    @Test
    void streamsAreSharedOutByWeightAndASpareGetsNone() {
        Map<String, Integer> firsts = firsts();
        assertThat(firsts).containsOnlyKeys(A, B);
        assertThat(firsts.get(A)).as("3 of 4, within four standard deviations").isBetween(695, 805);
    }

    @Test
    void whatTakesNoStreamsIsLeftAndTheSpareComesBeforeIt() {
        hops.failed(at(A), "refused");
        assertThat(firsts()).containsOnlyKeys(B);
        says(B, HopCheck.DRAINING);
        assertThat(firsts()).containsOnlyKeys(C);
        hops.failed(at(C), "refused");
        assertThat(firsts()).as("draining before failed").containsOnlyKeys(B);
        assertThat(hops.status(List.of(route))).extracting(NextHops.Status::isNext).containsExactly(false, true, false);
        says(B, HopCheck.OPEN);
        now += HopHealth.SILENCE + 1;
        assertThat(firsts()).as("failed before down").containsOnlyKeys(A);
        now += HopHealth.LEAVE;
        assertThat(firsts()).as("their time is over").containsOnlyKeys(A);
        assertThat(hops.status(List.of(route))).extracting(NextHops.Status::state).containsExactly("unknown", "down", "unknown");
    }

    @Test
    void aStreamThatCanBeginAnewLeavesOnlyForAHopThatTakesIt() {
        List<InetSocketAddress> others = List.of(at(B), at(C));
        assertThat(hops.shouldLeave(at(A), others)).isFalse();
        hops.failed(at(A), "refused");
        assertThat(hops.shouldLeave(at(A), others)).isTrue();
        assertThat(hops.shouldLeave(at(A), List.of())).isFalse();
        hops.failed(at(B), "refused");
        hops.failed(at(C), "refused");
        assertThat(hops.shouldLeave(at(A), others)).isFalse();
    }

    @Test
    void whatIsKnownOfAHopStaysWhileARouteNamesIt() {
        hops.failed(at(A), "refused");
        HopHealth before = hops.health(at(A));
        hops.of(List.of(Route.of("203.0.113.0/24", A + "," + B)));
        assertThat(hops.health(at(A))).isSameAs(before);
        assertThat(hops.health(at(C))).isNull();
        hops.failed(at(C), "of no route");
        hops.reached(at(C));
        hops.of(List.of());
        assertThat(hops.health(at(A))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {A, A + "*5," + B, A + "," + B + "*0", "tls://" + A + "," + B, "[2001:db8::1]:3322*2," + A, "direct", "direct:443"})
    void aTargetIsWrittenAsItIsRead(String target) {
        assertThat(Route.of("198.51.100.0/24", target).target()).isEqualTo(target);
    }

    @Test
    void everyNextHopIsReachedByTlsOrNone() {
        assertThat(Route.of("198.51.100.0/24", "tls://" + A + ", tls://" + B).target()).isEqualTo("tls://" + A + "," + B);
        assertThatThrownBy(() -> Route.of("198.51.100.0/24", A + ",tls://" + B)).hasMessageStartingWith("EE-501");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", A + ",", A + "," + A, A + "*0", A + "*0," + B + "*0", A + "*-1", A + "*1001", A + "*x", A + "*", "192.0.2.1:0", "192.0.2.1:65536",
            "192.0.2.1", ":3322", "no-such-host.invalid:3322", A + ",direct",
            "192.0.2.1:1,192.0.2.1:2,192.0.2.1:3,192.0.2.1:4,192.0.2.1:5,192.0.2.1:6,192.0.2.1:7,192.0.2.1:8,192.0.2.1:9,192.0.2.1:10,192.0.2.1:11,192.0.2.1:12,"
            + "192.0.2.1:13,192.0.2.1:14,192.0.2.1:15,192.0.2.1:16,192.0.2.1:17"})
    void whatIsNoTargetIsRefusedWithThePrefix(String target) {
        assertThatThrownBy(() -> Route.of("198.51.100.0/24", target)).hasMessageStartingWith("EE-501").hasMessageContaining("198.51.100.0/24");
    }
}
