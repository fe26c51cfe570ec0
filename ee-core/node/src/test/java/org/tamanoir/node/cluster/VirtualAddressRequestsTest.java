package org.tamanoir.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.Welcome.Virtual;
import org.tamanoir.node.cluster.virtual.VirtualAddress;

/** What an answer asks of the machine. */
class VirtualAddressRequestsTest {
    private static Welcome welcome(Method method) {
        return new Welcome("edge", 1000, 3000, method, List.of(new Virtual("198.51.100.1", 3322), new Virtual("2001:db8::1", 3323), new Virtual("127.0.0.9", 3322)),
                Standing.IN, null);
    }

    /** Wrong: to take over addresses where they are translated, or those that every machine has. */
    @Test
    void itHasTheVirtualAddressesWhosePacketsComeAsTheyAre() throws Exception {
        for (Method method : List.of(Method.DIRECT, Method.TUNNEL)) {
            assertThat(VirtualAddressRequests.wanted(welcome(method))).isEqualTo(Set.of(new VirtualAddress(InetAddress.getByName("198.51.100.1"), 3322, method),
                    new VirtualAddress(InetAddress.getByName("2001:db8::1"), 3323, method)));
        }
        assertThat(VirtualAddressRequests.wanted(welcome(Method.NAT))).isEmpty();
    }

    /** Whatever the method: a back end serves the streams of its own pool, and hands none to it. */
    @Test
    void itIsBehindAllOfThem() {
        for (Method method : Method.values()) {
            assertThat(VirtualAddressRequests.isFor(welcome(method), new InetSocketAddress("198.51.100.1", 3322))).isTrue();
            assertThat(VirtualAddressRequests.isFor(welcome(method), new InetSocketAddress("2001:db8:0::1", 3323))).isTrue();
            assertThat(VirtualAddressRequests.isFor(welcome(method), new InetSocketAddress("198.51.100.1", 3323))).isFalse();
            assertThat(VirtualAddressRequests.isFor(welcome(method), new InetSocketAddress("198.51.100.2", 3322))).isFalse();
        }
    }
}
