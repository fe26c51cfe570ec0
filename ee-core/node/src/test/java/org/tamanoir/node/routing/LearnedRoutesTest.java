package org.tamanoir.node.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/** Routes of neighbours stand behind those of the configuration, and the longest prefix decides between them. */
class LearnedRoutesTest {
    private static final InetSocketAddress NEIGHBOUR = new InetSocketAddress("192.0.2.7", 3322);

    private static LearnedRoute to(String prefix) {
        return new LearnedRoute(Prefix.parse(prefix), new Route(Prefix.parse(prefix), NEIGHBOUR), 1, "");
    }

    private static LearnedRoute gone(String prefix) {
        return new LearnedRoute(Prefix.parse(prefix), null, 0xFFFF, "");
    }

    private static InetSocketAddress at(String host) {
        return new InetSocketAddress(host, 80);
    }

    @Test
    void aRouteOfTheConfigurationAlwaysWins() {
        RouteTable table = new RouteTable();
        table.replace(List.of(Route.of("10.0.0.0/8", "direct")));
        table.learn(List.of(to("10.1.0.0/16"), to("0.0.0.0/0"), to("fd00:1::/32")));
        assertThat(table.lookup(at("10.1.2.3")).isDirect()).isTrue();
        assertThat(table.lookup(at("11.1.2.3")).hops().get(0).address()).isEqualTo(NEIGHBOUR);
        assertThat(table.lookup(at("fd00:1::5")).prefix()).isEqualTo(Prefix.parse("fd00:1::/32"));
        assertThatThrownBy(() -> table.lookup(at("fd00:2::5"))).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROUTE));
        table.learn(List.of());
        assertThatThrownBy(() -> table.lookup(at("11.1.2.3"))).hasMessageContaining("no route of this node leads to 11.1.2.3");
    }

    @Test
    void aPrefixWhoseWayIsGoneIsNotLedByAShorterOne() {
        RouteTable table = new RouteTable();
        table.learn(List.of(to("10.0.0.0/8"), gone("10.1.0.0/16"), to("10.1.2.0/24")));
        assertThat(table.lookup(at("10.1.2.3")).prefix()).isEqualTo(Prefix.parse("10.1.2.0/24"));
        assertThatThrownBy(() -> table.lookup(at("10.1.3.3"))).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROUTE))
                .hasMessageContaining("no neighbour tells a way to 10.1.0.0/16 any more");
        assertThat(table.lookup(at("10.2.3.3")).prefix()).isEqualTo(Prefix.parse("10.0.0.0/8"));
        assertThat(table.learned()).extracting(LearnedRoute::target).containsExactly("192.0.2.7:3322", "none", "192.0.2.7:3322");
    }

    @Property(tries = 200)
    void aLookUpFindsWhatAWalkThroughAllFinds(@ForAll long seed) {
        Random random = new Random(seed);
        List<LearnedRoute> all = new ArrayList<>();
        for (int i = random.nextInt(30); i > 0; i--) {
            all.add(to(address(random) + "/" + random.nextInt(33)));
        }
        LearnedRoutes routes = new LearnedRoutes(all);
        for (int i = 0; i < 50; i++) {
            InetSocketAddress address = at(address(random));
            int longest = all.stream().filter(each -> each.prefix().contains(address.getAddress())).mapToInt(each -> each.prefix().length()).max().orElse(-1);
            LearnedRoute found = routes.lookup(address.getAddress());
            assertThat(found == null ? -1 : found.prefix().length()).as("%s among %s", address, all).isEqualTo(longest);
        }
    }

    private static String address(Random random) {
        return "10." + random.nextInt(4) * 64 + "." + random.nextInt(4) * 64 + "." + random.nextInt(4) * 64;
    }
}
