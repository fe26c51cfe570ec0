package org.tamanoir.identity.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationRulesTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.2.0/24, 10.0.2.9:80, true", "10.0.2.0/24, 10.0.3.9:80, false", "10.0.2.9, 10.0.2.9:65535, true", "10.0.2.9:443, 10.0.2.9:80, false",
        "10.0.2.9:1000-2000, 10.0.2.9:1000, true", "10.0.2.9:1000-2000, 10.0.2.9:2000, true", "10.0.2.9:1000-2000, 10.0.2.9:2001, false",
        "10.0.2.9:1000-2000, 10.0.2.9:999, false", "0.0.0.0/0, 198.51.100.1:1, true", "0.0.0.0/0, [2001:db8::1]:1, false", "*, [2001:db8::1]:1, true",
        "*:443, 10.1.1.1:443, true", "*:443, 10.1.1.1:80, false", "[2001:db8::/32]:443, [2001:db8:1::1]:443, true", "[2001:db8::/32]:443, [2001:db9::1]:443, false",
        "[2001:db8::1], [2001:db8::1]:9, true", "2001:db8::1, [2001:db8::1]:9, true", "10.0.0.0/8, [::ffff:10.1.2.3]:80, true",
        "data.example.org, DATA.Example.org.:80, true", "data.example.org, xdata.example.org:80, false", "*.example.org, a.b.example.org:80, true",
        "*.example.org, example.org:80, false", "*.example.org, badexample.org:80, false", "*.example.org:80, a.example.org:81, false",
        "data.example.org, 192.0.2.1:80, false", "192.0.2.1, data.example.org:80, true"})
    void aRuleAllowsWhatItNamesAndNothingElse(String rule, String target, boolean allowed) throws UnknownHostException {
        Target wanted = target(target);
        DestinationRules rules = DestinationRules.of(List.of(rule), List.of());
        // What the name resolves to.
        InetAddress address = wanted.address() != null ? wanted.address() : InetAddress.getByName("192.0.2.1");
        assertThat(rules.allows(wanted.name(), address, wanted.port())).isEqualTo(allowed);
        assertThat(rules.mayAllow(wanted)).as("may be looked up").isEqualTo(allowed);
        assertThat(DestinationRules.of(List.of("*"), List.of(rule)).allows(wanted.name(), address, wanted.port())).as("the same rule denies it").isEqualTo(!allowed);
    }

    private static Target target(String text) {
        int colon = text.lastIndexOf(':');
        return Target.of(text.substring(0, colon).replaceAll("[\\[\\]]", ""), Integer.parseInt(text.substring(colon + 1)));
    }

    @Test
    void whatNothingAllowsIsRefusedAndANameThatIsAllowedDoesNotLeadToAnAddressThatIsDenied() throws UnknownHostException {
        InetAddress inside = InetAddress.getByName("10.0.0.1");
        assertThat(DestinationRules.of(List.of(), List.of()).mayAllow(target("10.0.0.1:80"))).isFalse();
        DestinationRules rules = DestinationRules.of(List.of("*.example.org:443"), List.of("10.0.0.0/8", "secret.example.org"));
        assertThat(rules.allows("data.example.org", InetAddress.getByName("192.0.2.1"), 443)).isTrue();
        assertThat(rules.allows("data.example.org", inside, 443)).as("a name that somebody points inside").isFalse();
        assertThat(rules.mayAllow(target("data.example.org:443"))).isTrue();
        assertThat(rules.mayAllow(target("secret.example.org:443"))).as("not even looked up").isFalse();
        assertThat(rules.mayAllow(target("data.example.com:443"))).as("not even looked up").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":80", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:9-8", "10.0.0.1:1-2-3", "10.0.0.1:", "[2001:db8::/129]:1",
        "**.example.org", "a b", "127.1", "*.127.1", "exa_mple..org", "http://example.org"})
    void aRuleThatCannotBeReadIsRefused(String rule) {
        assertThatThrownBy(() -> DestinationRules.of(List.of(rule), List.of())).hasMessageStartingWith("EE-408 ");
    }
}
