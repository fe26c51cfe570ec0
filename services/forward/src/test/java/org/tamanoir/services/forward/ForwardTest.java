package org.tamanoir.services.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Position;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

class ForwardTest {
    @ParameterizedTest
    @EnumSource(Position.class)
    void everyPacketGoesOnUnchangedInBothDirections(Position position) throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Forward(), Map.of()); StreamHarness stream = harness.open(position)) {
            Outcome there = stream.toDestination(new PacketOptions().stream(42, 7), new byte[] {1, 2, 3});
            assertThat(there.verdict()).isSameAs(Verdict.PASS);
            assertThat(there.only().sequence()).isEqualTo(7);
            Outcome back = stream.toSource(new byte[] {4, 5});
            assertThat(ByteBufUtil.hexDump(back.only().payload())).isEqualTo("0405");
            assertThat(stream.end().onward()).isEmpty();
        }
    }

    @Test
    void aRuleSaysTheSameSoThatAKernelCanDoIt() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Forward(), Map.of())) {
            assertThat(harness.rules().all()).singleElement().satisfies(rule -> {
                assertThat(rule.match()).isEqualTo(Match.type(0x5401));
                assertThat(rule.actions()).containsExactly(Action.count(), Action.forward());
            });
        }
    }
}
