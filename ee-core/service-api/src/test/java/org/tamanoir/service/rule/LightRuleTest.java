package org.tamanoir.service.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LightRuleTest {
    /** Engines know IPv4 addresses as ::ffff:a.b.c.d: a rule for some IPv6 addresses must not match IPv4 ones. */
    @ParameterizedTest
    @ValueSource(strings = {"::/0", "::/1", "::/64", "::ffff:0:0/95", "::/80"})
    void anIpv6PrefixThatHoldsIpv4IsRefused(String prefix) {
        assertThatThrownBy(() -> Match.all().to(Prefix.parse(prefix))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Match.all().from(Prefix.parse(prefix))).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0/0", "255.255.255.255/32", "2000::/3", "::1/128", "::1:0:0:0/80", "::fffe:0:0/96"})
    void anyOtherIsTaken(String prefix) {
        assertThat(Match.all().to(Prefix.parse(prefix)).destination()).hasToString(Prefix.parse(prefix).toString());
    }

    @Test
    void whatCannotBeDoneIsRefused() {
        assertThatThrownBy(() -> new LightRule("a b", Match.all(), List.of(Action.drop()))).hasMessageContaining("a b");
        assertThatThrownBy(() -> new LightRule("r", Match.all(), List.of())).hasMessageContaining("no action");
        assertThatThrownBy(() -> new LightRule("r", Match.all(), List.of(Action.drop(), Action.count()))).hasMessageContaining("follow drop");
        assertThatThrownBy(() -> new LightRule("r", Match.all(), List.of(Action.count(), Action.count()))).hasMessageContaining("two actions");
        assertThatThrownBy(() -> new LightRule("r", Match.all().inPassing(), List.of(Action.forward()))).hasMessageContaining("in passing");
        assertThatThrownBy(() -> Match.type(0x10000)).hasMessageContaining("65536");
        assertThatThrownBy(() -> Match.all().withSession(0)).hasMessageContaining("session");
        assertThatThrownBy(() -> Action.dscp(64)).hasMessageContaining("64");
        assertThatThrownBy(() -> Treatment.mark(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> Meter.singleRate(0, 1, 1)).hasMessageContaining("cir");
        assertThatThrownBy(() -> Meter.singleRate(1, 0, 0)).hasMessageContaining("RFC 2697");
        assertThatThrownBy(() -> Meter.twoRate(2, 1, 1, 1)).hasMessageContaining("RFC 2698");
        assertThatThrownBy(() -> Meter.twoRate(1, 1, 1, Meter.MOST_BURST + 1)).hasMessageContaining("pbs");
    }
}
