package org.tamanoir.node.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.identity.token.Token;
import org.tamanoir.node.access.AccessRule.Request;
import org.tamanoir.node.access.AccessRule.Target;
import org.tamanoir.node.access.AccessRule.Who;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.routing.Ports;
import org.tamanoir.service.rule.Prefix;

/** A rule that is said to cover another one decides whatever the other would: only then may the other be called unreachable. */
class CoveringRulesTest {
    private static final int CMS_A = 0x5801;
    private static final int CMS_B = 0x5802;
    private static final int ATLAS = 0x5803;
    private static final Map<Integer, String> NAMES = Map.of(CMS_A, "~cms/a", CMS_B, "~cms/b", ATLAS, "~atlas/a");

    @Property(tries = 5000)
    void whatIsCoveredIsNeverReached(@ForAll("rules") AccessRule earlier, @ForAll("rules") AccessRule later, @ForAll("requests") List<Request> requests) {
        boolean covers = earlier.covers(later);
        for (Request request : requests) {
            // A refusal of all is said to be of no use behind a permission of all, though that is for no guest's service.
            boolean isExcepted = earlier.allow() && !later.allow() && earlier.services().isUnsaid() && request.services().stream().anyMatch(ServiceName::isGuestType);
            if (covers && !isExcepted && later.matches(request) != null) {
                Statistics.collect("covered and reached");
                assertThat(earlier.matches(request)).as("%s before %s for %s", earlier.text(), later.text(), request).isNotNull();
            }
        }
    }

    @Provide
    Arbitrary<AccessRule> rules() {
        Arbitrary<Who> who = Arbitraries.of(Who.ANYBODY, peer("10.0.0.0/8"), peer("10.1.0.0/16"), peer("10.1.0.1"), peer("spiffe://a/*"), peer("spiffe://a/b"),
                new Who(null, "https://i/", null, null, null), new Who(null, "https://i/", "ada", null, null), new Who(null, "https://i/", null, "read:/a", null));
        Arbitrary<List<Target>> to = Arbitraries.of(target("10.0.0.0/8", "1-65535"), target("10.0.0.0/8", "1-100"), target("10.2.0.0/16", "50-60,443"),
                target("10.2.0.3", "443")).list().ofMaxSize(2);
        Arbitrary<ServiceSet> services = Combinators.combine(Arbitraries.of(1, 2, 3).set().ofMaxSize(2), Arbitraries.of("~*", "~cms/*", "~cms/a", "~atlas/a").set().ofMaxSize(2))
                .as(ServiceSet::new);
        return Combinators.combine(Arbitraries.of(true, false), who, to, services).as((allow, whom, targets, names) -> new AccessRule(1, allow,
                (allow ? "allow " : "deny ") + whom + targets + names, whom, targets, names, null, 0, 0));
    }

    @Provide
    Arbitrary<List<Request>> requests() {
        Token ada = new Token("https://i/", "ada", null, List.of("read:/a"), List.of(), Instant.MAX);
        Token bob = new Token("https://i/", "bob", null, List.of("read:/b"), List.of(), Instant.MAX);
        return Combinators.combine(Arbitraries.of("10.0.0.1", "10.1.0.1", "10.1.0.2", "192.0.2.1"), Arbitraries.of("", "spiffe://a/b", "spiffe://a/c"),
                Arbitraries.of(ada, bob).injectNull(0.4), Arbitraries.of("10.0.0.1", "10.2.0.3", "192.0.2.1"), Arbitraries.of(55, 99, 443, 5000),
                Arbitraries.of(1, 2, 3, CMS_A, CMS_B, ATLAS).list().ofMinSize(1).ofMaxSize(3)).as((address, name, token, to, port, services) ->
                        new Request(Prefix.parse(address).network(), name.isEmpty() ? List.of() : List.of(name), token, new InetSocketAddress(to, port), services, NAMES)).list().ofSize(20);
    }

    private static Who peer(String text) {
        return new Who(Peer.parse(text), null, null, null, null);
    }

    private static Target target(String prefix, String ports) {
        return new Target(Prefix.parse(prefix), Ports.parse(ports));
    }
}
