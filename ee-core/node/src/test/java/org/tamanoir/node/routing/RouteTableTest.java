package org.tamanoir.node.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.transport.OwnListeners;
import org.tamanoir.service.rule.Prefix;

class RouteTableTest {
    @Property
    void theLongestPrefixThatContainsTheAddressWins(@ForAll long seed, @ForAll boolean ipv6) throws UnknownHostException {
        Random random = new Random(seed);
        int bits = ipv6 ? 128 : 32;
        List<Route> routes = new ArrayList<>();
        Set<Prefix> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Prefix prefix = Prefix.parse(address(random, bits).getHostAddress() + "/" + random.nextInt(12));
            if (seen.add(prefix)) {
                routes.add(new Route(prefix, null));
            }
        }
        RouteTable table = new RouteTable();
        table.replace(routes);
        for (int i = 0; i < 20; i++) {
            InetAddress wanted = address(random, bits);
            int best = routes.stream().filter(route -> contains(route.prefix(), wanted, bits)).mapToInt(route -> route.prefix().length())
                    .max().orElse(-1);
            if (best < 0) {
                assertThatThrownBy(() -> table.lookup(new InetSocketAddress(wanted, 80))).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-202");
            } else {
                Route found = table.lookup(new InetSocketAddress(wanted, 80));
                assertThat(found.prefix().length()).isEqualTo(best);
                assertThat(contains(found.prefix(), wanted, bits)).isTrue();
            }
        }
    }

    private static void refuses(RouteTable table, String code, String address, int port) {
        assertThatThrownBy(() -> table.lookup(new InetSocketAddress(address, port))).as(address + " " + port).hasMessageStartingWith(code);
    }

    @Test
    void noRouteLeadsToTheNodeItselfNorBackIntoItsMachine() {
        OwnListeners own = new OwnListeners();
        RouteTable table = new RouteTable(own);
        table.replace(List.of(Route.parse("0.0.0.0/0=direct"), Route.parse("::/0=direct"), Route.parse("198.51.100.0/24=192.0.2.9:3322")));
        own.add(new InetSocketAddress("127.0.0.1", 3322));
        refuses(table, "EE-212", "127.0.0.1", 3322);
        assertThat(table.lookup(new InetSocketAddress("127.0.0.1", 80))).as("a node that only this machine reaches may").isNotNull();
        own.add(new InetSocketAddress("0.0.0.0", 3380));
        refuses(table, "EE-212", "127.0.0.1", 80);
        refuses(table, "EE-212", "127.3.2.1", 80);
        refuses(table, "EE-212", "::1", 80);
        refuses(table, "EE-212", "::ffff:127.0.0.1", 80);
        refuses(table, "EE-212", "0.0.0.0", 80);
        refuses(table, "EE-212", "::", 80);
        refuses(table, "EE-212", "224.0.0.9", 80);
        assertThat(table.lookup(new InetSocketAddress("203.0.113.5", 3380))).as("another host's").isNotNull();
        assertThat(table.lookup(new InetSocketAddress("198.51.100.1", 3380)).isDirect()).isFalse();
        own.remove(new InetSocketAddress("0.0.0.0", 3380));
        assertThat(table.lookup(new InetSocketAddress("127.0.0.1", 80))).isNotNull();
    }

    @Test
    void aRouteMayDeliverToSomePortsAlone() {
        RouteTable table = new RouteTable();
        table.replace(List.of(Route.parse("192.0.2.0/24=direct:443,5000-5999")));
        for (int port : new int[] {443, 5000, 5999}) {
            assertThat(table.lookup(new InetSocketAddress("192.0.2.1", port)).target()).isEqualTo("direct:443,5000-5999");
        }
        for (int port : new int[] {442, 444, 4999, 6000, 65535}) {
            refuses(table, "EE-202", "192.0.2.1", port);
        }
        for (String wrong : new String[] {"", "0", "65536", "5-4", "1-2-3", "a", "1,", "-1", "1-"}) {
            assertThatThrownBy(() -> Route.parse("192.0.2.0/24=direct:" + wrong)).as(wrong).hasMessageStartingWith("EE-501");
        }
    }

    /** The definition, by arithmetic: the first bits are the same. */
    private static boolean contains(Prefix prefix, InetAddress address, int bits) {
        int rest = bits - prefix.length();
        return new BigInteger(1, prefix.network().getAddress()).shiftRight(rest)
                .equals(new BigInteger(1, address.getAddress()).shiftRight(rest));
    }

    private static InetAddress address(Random random, int bits) throws UnknownHostException {
        byte[] octets = new byte[bits / 8];
        random.nextBytes(octets);
        octets[0] &= 0x3F;
        return InetAddress.getByAddress(octets);
    }

    @Example
    void anIpv4PrefixDoesNotContainIpv6Addresses() throws UnknownHostException {
        assertThat(Prefix.parse("0.0.0.0/0").contains(InetAddress.getByName("fd00::1"))).isFalse();
    }

    @Example
    void whatIsNoRouteIsRefusedAndTheOldTableStays() {
        RouteTable table = new RouteTable();
        table.replace(List.of(Route.parse("10.1.0.0/16=direct")));
        for (String bad : List.of("10.0.0.0/33=direct", "10.0.0.0/-1=direct", "ten=direct", "10.0.0.0/8", "10.0.0.0/8=somewhere",
                "10.0.0.0/8=host:0", "10.0.0.0/8=host:99999", "fd00::/129=direct")) {
            assertThatThrownBy(() -> table.replace(List.of(Route.parse(bad)))).as(bad).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-501");
        }
        assertThatThrownBy(() -> table.replace(List.of(Route.parse("10.0.0.1/8=direct"), Route.parse("10.0.0.2/8=127.0.0.1:1"))))
                .hasMessageContaining("two routes");
        assertThat(table.all()).containsExactly(Route.parse("10.1.0.0/16=direct"));
    }
}
