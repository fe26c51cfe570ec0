package org.tamanoir.services.qosenforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.services.qosenforcement.Orders.AF_TCP;
import static org.tamanoir.services.qosenforcement.Orders.BE;
import static org.tamanoir.services.qosenforcement.Orders.EF;
import static org.tamanoir.services.qosenforcement.Orders.order;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.testkit.ServiceHarness;

/** The service as qosinus and an operator see it. */
class EnforcementTest {
    @Test
    void itAllocatesCountsAndShowsWhatItDid() throws Exception {
        Enforcement enforcement = new Enforcement();
        try (ServiceHarness harness = ServiceHarness.start(enforcement, Map.of())) {
            assertThat(enforcement.allocate(0xAB, EF, 1_000_000)).isTrue();
            assertThat(enforcement.allocate(0xCD, EF, EF.capacity())).isFalse();
            assertThat(enforcement.allocated()).containsEntry("EF", 1_000_000L);
            Conditioner conditioner = enforcement.conditioner(order(0xAB, Transport.UDP, EF, 1_000_000, new Traffic(1_000_000, 2000, 0, 1500, 0), Orders.DROP));
            for (int i = 0; i < 5; i++) {
                conditioner.admit(1000, 0);
            }
            assertThat(harness.metrics().value("ef_sent_packets")).isEqualTo(2);
            assertThat(harness.metrics().value("ef_dropped_octets")).isEqualTo(3000);
            assertThat(harness.metrics().value("ef_allocated")).isEqualTo(1_000_000);
            assertThat(harness.metrics().value("refused")).isEqualTo(1);
            assertThat(harness.metrics().value("sessions")).isEqualTo(1);
            assertThat(enforcement.inspect("allocations", Map.of()).get("sessions"))
                    .isEqualTo(Map.of("00000000000000ab", Map.of("class", "EF", "rate", 1_000_000L)));
            assertThat(enforcement.inspect("allocations", Map.of("session", "ab")).toString()).contains("EF");
            assertThatThrownBy(() -> enforcement.inspect("allocations", Map.of("session", "cd"))).isInstanceOf(AnepException.class);
            assertThatThrownBy(() -> enforcement.inspect("allocations", Map.of("session", "x"))).hasMessageContaining("hexadecimal");
            assertThatThrownBy(() -> enforcement.inspect("else", Map.of())).isInstanceOf(AnepException.class);
            assertThat(enforcement.rule(order(0xAB, Transport.UDP, BE, 0, null, Orders.DROP))).hasSize(2);
            enforcement.release(0xAB);
            assertThat(enforcement.allocated()).containsEntry("EF", 0L);
            assertThatThrownBy(() -> harness.open(Position.ONLY)).hasMessageContaining("takes no streams");
        }
    }

    /** A service may have 100 metrics: more classes, or some whose names are the same to Prometheus, are allocated all the same. */
    @Test
    void classesWithoutMetricsWork() throws Exception {
        Enforcement enforcement = new Enforcement();
        try (ServiceHarness harness = ServiceHarness.start(enforcement, Map.of())) {
            String[] names = {"A-b", "a_B", "7", "--", "", "ä"};
            for (int i = 0; i < 60; i++) {
                QosClass qosClass = new QosClass(i < names.length ? names[i] : "gold" + i, 1, null, 10, 1, 1, 1);
                assertThat(enforcement.allocate(i, qosClass, 10)).isTrue();
            }
            assertThat(harness.metrics().names()).hasSizeLessThanOrEqualTo(100).contains("a_b_allocated", "gold6_allocated");
        }
    }

    /** Sessions of 100,000 flows: each has its share, and takes it back. */
    @Test
    void aHundredThousandSessions() throws Exception {
        Enforcement enforcement = new Enforcement();
        QosClass wide = new QosClass("EF", 3, null, 100_000, 46, 46, 46);
        try (ServiceHarness harness = ServiceHarness.start(enforcement, Map.of())) {
            long start = System.nanoTime();
            for (long session = 0; session < 100_000; session++) {
                assertThat(enforcement.allocate(session, wide, 1)).isTrue();
            }
            assertThat(enforcement.allocate(100_000, wide, 1)).isFalse();
            for (long session = 0; session < 100_000; session++) {
                assertThat(enforcement.allocate(session, session % 2 == 0 ? AF_TCP : BE, 1)).isTrue();
            }
            assertThat(enforcement.allocated()).containsEntry("EF", 0L).containsEntry("AF-TCP", 50_000L);
            for (long session = 0; session < 100_000; session++) {
                enforcement.release(session);
            }
            assertThat(enforcement.allocated()).containsEntry("AF-TCP", 0L);
            assertThat(harness.metrics().value("sessions")).isZero();
            assertThat(System.nanoTime() - start).as("300,000 operations in nanoseconds").isLessThan(10_000_000_000L);
        }
    }

    @ParameterizedTest
    @CsvSource({"sessions,0", "burst,11s", "peak-burst,x", "spare-burst,1h", "excess-burst,1001"})
    void aBadOptionIsNamed(String name, String value) {
        assertThatThrownBy(() -> ServiceHarness.start(new Enforcement(), Map.of(name, value))).isInstanceOf(AnepException.class).hasMessageContaining(name);
    }
}
