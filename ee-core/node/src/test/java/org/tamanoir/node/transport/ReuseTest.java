package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.MalformedPacketException;

/** The acceptor's side of one stream after another; KeptConnectionsTest has the opener's. */
class ReuseTest {
    private final LoopMemory memory = new LoopMemory(() -> 64L << 20);
    private final Reuse acceptor = new Reuse(memory, false);

    @Test
    void aConnectionIsUsedAgainAfterTwoEndsByPacketAndNotOtherwise() {
        assertThat(acceptor.saysAccept()).isFalse();
        assertThat(acceptor.isAgain(true)).as("without an offer").isFalse();
        acceptor.accept();
        assertThat(acceptor.saysAccept()).isTrue();
        assertThat(acceptor.saysAccept()).as("once").isFalse();
        assertThat(acceptor.heard(ConnectionUse.END, false)).isTrue();
        assertThat(acceptor.isAgain(true)).as("before its own end").isFalse();
        assertThat(acceptor.endsByPacket()).isTrue();
        assertThat(acceptor.isAgain(false)).as("before the peer's end").isFalse();
        assertThat(acceptor.isAgain(true)).isTrue();
        acceptor.restart();
        acceptor.spoil();
        assertThat(acceptor.endsByPacket()).isFalse();
        assertThat(acceptor.endsBeforeFin()).as("an end packet says that the stream was seen").isTrue();
        assertThat(acceptor.isAgain(true)).isFalse();
    }

    @Test
    void readyLeavesWithTheEndOnlyWhenNothingIsLeft() {
        acceptor.accept();
        acceptor.endsByPacket();
        assertThat(acceptor.saysReady(true)).as("octets may still wait for a slow server").isFalse();
        acceptor.delivered();
        assertThat(acceptor.saysReady(false)).isFalse();
        assertThat(acceptor.saysReady(true)).isTrue();
        acceptor.restart();
        acceptor.endsByPacket();
        assertThat(acceptor.saysReady(true)).as("the next stream has its own").isFalse();
    }

    @Test
    void whatMayNotBeSaidNowIsMalformed() {
        assertThatThrownBy(() -> acceptor.heard(ConnectionUse.END, false)).isInstanceOf(MalformedPacketException.class);
        acceptor.accept();
        for (ConnectionUse use : new ConnectionUse[] {ConnectionUse.ACCEPT, ConnectionUse.READY, ConnectionUse.OFFER, null}) {
            assertThatThrownBy(() -> acceptor.heard(use, false)).isInstanceOf(MalformedPacketException.class);
        }
        assertThatThrownBy(() -> acceptor.heard(ConnectionUse.END, true)).as("twice").isInstanceOf(MalformedPacketException.class);
    }

    @Test
    void withTlsEveryDirectionEndsByAPacketWhetherOrNotTheConnectionIsUsedAgain() {
        Reuse byTls = new Reuse(memory, true);
        assertThat(byTls.heard(ConnectionUse.END, false)).as("without an accept").isTrue();
        assertThat(byTls.endsByPacket()).isTrue();
        byTls.delivered();
        assertThat(byTls.saysReady(true)).isFalse();
        assertThat(byTls.isAgain(true)).as("nobody has offered it").isFalse();
        assertThatThrownBy(() -> byTls.heard(ConnectionUse.END, true)).as("twice").isInstanceOf(MalformedPacketException.class);
        byTls.spoil();
        assertThat(byTls.endsByPacket()).isTrue();
    }
}
