package org.tamanoir.node.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.identity.Peers.Peer;

class PeersTest {
    private static boolean isListed(String peer, String address, String... names) throws Exception {
        return new Peers(List.of(Peer.parse(peer))).isListed(InetAddress.getByName(address), List.of(names));
    }

    @Test
    void aPeerIsListedByItsAddressOrByANameThatItHasProven() throws Exception {
        assertThat(isListed("203.0.113.0/28", "203.0.113.15")).isTrue();
        assertThat(isListed("203.0.113.0/28", "203.0.113.16", "203.0.113.1")).as("an address is no name").isFalse();
        assertThat(isListed("spiffe://example.org/node/a", "192.0.2.1", "spiffe://example.org/node/a")).isTrue();
        assertThat(isListed("spiffe://example.org/node/a", "192.0.2.1", "spiffe://example.org/node/ab")).isFalse();
        assertThat(isListed("spiffe://example.org/node/a", "192.0.2.1")).isFalse();
        assertThat(isListed("spiffe://example.org/node/*", "192.0.2.1", "spiffe://example.org/user/b", "spiffe://example.org/node/b")).isTrue();
        assertThat(isListed("spiffe://example.org/node/*", "192.0.2.1", "spiffe://example.org.evil/node/b", "spiffe://example.org/nodes/b")).isFalse();
        assertThat(new Peers(List.of()).isListed(InetAddress.getLoopbackAddress(), List.of())).as("nobody listed, nobody believed").isFalse();
    }

    @Test
    void aLineThatSaysNobodyInParticularIsRefused() {
        Stream.of("spiffe://", "spiffe:///node/a", "spiffe://example.org", "spiffe://example.org/", "spiffe://*/node/a", "spiffe://example.org/n*", "everybody")
                .forEach(wrong -> assertThatThrownBy(() -> Peer.parse(wrong)).as(wrong).hasMessageStartingWith("EE-501"));
    }
}
