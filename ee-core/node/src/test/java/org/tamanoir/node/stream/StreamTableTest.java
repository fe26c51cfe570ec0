package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.service.Transport;

/** Who may open a stream: quotas of peers and transports, and what makes room. */
class StreamTableTest {
    private final EventLoop loop = new DefaultEventLoop();
    private final List<Opened> evicted = new ArrayList<>();
    private final Peers peers = new Peers(List.of());
    private final StreamTable table = new StreamTable(StreamLimits::defaults, peers);

    /** A stream that does nothing but be there. */
    private final class Opened extends Stream {
        boolean answered;

        Opened(long number, Transport transport, InetAddress peer) {
            super(null, transport, number, new InetSocketAddress(peer, 1), loop);
        }

        @Override
        boolean isUnanswered() {
            return !answered;
        }

        @Override
        void fail(AnepException why) {
            synchronized (evicted) {
                evicted.add(this);
            }
        }

        @Override
        void connect() {
            throw new AssertionError();
        }

        @Override
        String state() {
            return "flowing";
        }

        @Override
        void tick(long elapsed) {
            throw new AssertionError();
        }

        @Override
        long held() {
            return 0;
        }

        @Override
        void finishUp() {
            throw new AssertionError();
        }

        @Override
        void release() {
            throw new AssertionError();
        }

        @Override
        Traffic traffic() {
            throw new AssertionError();
        }

        @Override
        Placement placement() {
            throw new AssertionError();
        }
    }

    @AfterEach
    void stop() {
        loop.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }

    private Opened open(Transport transport, String peer) throws UnknownHostException {
        InetAddress address = InetAddress.getByName(peer);
        Opened opened = new Opened(table.admit(address, transport), transport, address);
        table.add(opened);
        return opened;
    }

    private List<Opened> fill(Transport transport, int each, String... peers) throws UnknownHostException {
        List<Opened> all = new ArrayList<>();
        for (String peer : peers) {
            for (int i = 0; i < each; i++) {
                all.add(open(transport, peer));
            }
        }
        return all;
    }

    private List<Opened> evicted() throws InterruptedException {
        loop.submit(() -> { }).sync();
        synchronized (evicted) {
            return List.copyOf(evicted);
        }
    }

    @Test
    void fourSourcesOfDatagramsTakeNoPlaceOfTcp() throws Exception {
        fill(Transport.UDP, 1024, "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4");
        fill(Transport.TCP, 1024, "192.0.2.1", "198.51.100.1");
        assertThat(evicted()).isEmpty();
    }

    @Test
    void whatNobodyHasAnsweredMakesRoomTheOldestOfTheLargestPeerFirst() throws Exception {
        List<Opened> flood = fill(Transport.UDP, 1024, "192.0.2.1", "192.0.2.2", "192.0.2.3");
        flood.addAll(fill(Transport.UDP, 1000, "192.0.2.4"));
        fill(Transport.UDP, 24, "198.51.100.1");
        flood.get(0).answered = true;
        Opened newcomer = open(Transport.UDP, "198.51.100.2");
        assertThat(evicted()).hasSize(1);
        assertThat(evicted().get(0)).isSameAs(flood.get(1024)).as("the first peer has one that is answered, so the second has more to give");
        assertThat(table.find(newcomer.number())).isSameAs(newcomer);
        assertThat(table.find(evicted().get(0).number())).isNull();
        assertThat(table.count()).isEqualTo(4096);
    }

    @Test
    void nobodyMakesRoomForAPeerThatHasAsManyOrWhoseWereAnswered() throws Exception {
        List<Opened> flood = fill(Transport.UDP, 1000, "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4");
        flood.addAll(fill(Transport.UDP, 96, "192.0.2.5"));
        assertThatThrownBy(() -> open(Transport.UDP, "192.0.2.1")).hasMessageStartingWith("EE-205");
        flood.forEach(each -> each.answered = true);
        assertThatThrownBy(() -> open(Transport.UDP, "198.51.100.1")).hasMessageStartingWith("EE-205");
        assertThat(evicted()).isEmpty();
    }

    @Test
    void strangersLeaveATenthToListedPeersAndTakeNoPlaceOfTheirs() throws Exception {
        peers.replace(List.of(Peers.Peer.parse("203.0.113.0/24")));
        fill(Transport.UDP, 1000, "203.0.113.1");
        fill(Transport.UDP, 900, "192.0.2.1", "192.0.2.2");
        fill(Transport.UDP, 887, "192.0.2.3");
        Opened newcomer = open(Transport.UDP, "198.51.100.1");
        assertThat(evicted()).singleElement().extracting(each -> each.peer().getHostString()).isEqualTo("192.0.2.1");
        assertThat(table.find(newcomer.number())).isSameAs(newcomer);
        fill(Transport.UDP, 409, "203.0.113.2");
        assertThat(evicted()).as("places that were kept").hasSize(1);
        assertThat(table.count()).isEqualTo(4096);
    }

    @Test
    void whereNobodyIsListedNothingIsKeptForPeers() throws Exception {
        fill(Transport.TCP, 1024, "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4");
        assertThat(table.usage()).isEqualTo(1);
        assertThat(evicted()).isEmpty();
    }

    @Test
    void aPeerIsAnAddressOrANetworkOfIpv6() throws Exception {
        for (int i = 0; i < 1024; i++) {
            open(Transport.TCP, "2001:db8:0:1::" + Integer.toHexString(i + 1));
        }
        assertThatThrownBy(() -> open(Transport.TCP, "2001:db8:0:1:ffff::1")).hasMessageStartingWith("EE-206");
        open(Transport.TCP, "2001:db8:0:2::1");
    }

    @Test
    void aPlaceThatIsGivenBackIsFreeOnce() throws Exception {
        InetAddress peer = InetAddress.getByName("192.0.2.1");
        for (int i = 0; i < 3000; i++) {
            table.admit(peer, Transport.TCP);
            table.dismiss(peer, Transport.TCP);
        }
        fill(Transport.TCP, 1024, "192.0.2.1");
        assertThatThrownBy(() -> open(Transport.TCP, "192.0.2.1")).hasMessageStartingWith("EE-206");
    }
}
