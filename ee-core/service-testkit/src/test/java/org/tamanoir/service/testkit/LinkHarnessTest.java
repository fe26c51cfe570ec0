package org.tamanoir.service.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

class LinkHarnessTest {
    private static final InetSocketAddress HOST = address("192.0.2.1");
    private static final InetSocketAddress ABOVE = address("192.0.2.7");
    private static final InetSocketAddress GROUP = address("239.1.2.3");

    private static InetSocketAddress address(String text) {
        try {
            return new InetSocketAddress(InetAddress.getByName(text), 3322);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static Packet packet(String word) {
        ByteBuf buffer = new PacketBuilder(ServiceHarness.TYPE_ID).options(new PacketOptions().stream(7, 1))
                .payload(Unpooled.copiedBuffer(word, US_ASCII)).build(UnpooledByteBufAllocator.DEFAULT);
        return Packet.of(buffer);
    }

    /** A handler that does with a packet what its word says. */
    private static final class Obeys implements LinkService {
        private Links links;
        private Packet kept;
        private int reads;

        @Override
        public LinkHandler openLinks(Links given) {
            links = given;
            return new LinkHandler() {
                @Override
                public void onPacket(Packet packet, InetSocketAddress from) {
                    obey(packet, from, packet.payload().toString(US_ASCII));
                }

                @Override
                public void onReadComplete() {
                    reads++;
                }

                @Override
                public Map<String, Object> report() {
                    return Map.of("reads", reads);
                }
            };
        }

        private void obey(Packet packet, InetSocketAddress from, String word) {
            switch (word) {
                case "up" -> links.neighbours().forEach(to -> links.send(packet.retainedSlice(), to));
                case "echo" -> links.send(packet.retainedSlice(), from);
                case "join" -> links.join(GROUP);
                case "tell" -> links.send(packet.retainedSlice(), GROUP);
                case "tick" -> tick(from);
                case "keep" -> kept = packet.retain();
                case "garbage" -> links.send(links.allocator().buffer().writeZero(8), from);
                case "change" -> packet.buffer().setByte(packet.payloadOffset(), 0);
                case "flood" -> {
                    for (int i = 0; i <= Links.MOST_TIMERS; i++) {
                        links.later(Duration.ofHours(1), () -> { });
                    }
                }
                default -> throw new IllegalStateException(word);
            }
        }

        private void tick(InetSocketAddress from) {
            links.later(Duration.ofMillis(250), () -> {
                links.send(packet("tick").buffer(), from);
                tick(from);
            });
        }

        @Override
        public StreamHandler open(StreamContext stream) {
            throw new UnsupportedOperationException();
        }
    }

    private static List<InetSocketAddress> recipients(LinkHarness links) {
        return links.sent().stream().map(Sent::to).toList();
    }

    @Test
    void showsWhatIsSentToWhom() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Obeys(), Map.of())) {
            LinkHarness links = harness.openLinks(false, ABOVE);
            links.deliver(HOST, packet("echo"), packet("up"));
            assertThat(recipients(links)).containsExactly(HOST, ABOVE);
            assertThat(links.report()).containsEntry("reads", 1);
            assertThat(recipients(links.deliver(HOST, packet("tell"), packet("join")))).isEmpty();
            assertThat(links.joined()).isEmpty();
            assertThat(recipients(links.groups(true).deliver(HOST, packet("tell"), packet("join")))).containsExactly(GROUP);
            assertThat(links.joined()).containsExactly(GROUP);
            assertThat(recipients(links.writable(false).deliver(HOST, packet("echo")))).isEmpty();
        }
    }

    @Test
    void timeStandsStillUntilItIsMoved() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Obeys(), Map.of())) {
            LinkHarness links = harness.openLinks(false);
            links.deliver(HOST, packet("tick"));
            assertThat(links.advance(Duration.ofMillis(249)).sent()).isEmpty();
            assertThat(links.advance(Duration.ofMillis(751)).sent()).hasSize(4);
            links.close();
            assertThat(links.advance(Duration.ofSeconds(9)).sent()).isEmpty();
            assertThatThrownBy(() -> harness.openLinks(false).deliver(HOST, packet("flood"))).isInstanceOf(AnepException.class)
                    .hasMessageContaining("EE-309");
        }
    }

    @Test
    void namesTheRuleThatIsBroken() throws Exception {
        Obeys service = new Obeys();
        ServiceHarness harness = ServiceHarness.start(service, Map.of());
        LinkHarness links = harness.openLinks(false);
        assertThatThrownBy(() -> links.deliver(HOST, packet("garbage"))).isInstanceOf(ContractViolation.class).hasMessageContaining("no packet");
        assertThatThrownBy(() -> links.deliver(HOST, packet("change"))).isInstanceOf(ContractViolation.class).hasMessageContaining("was changed");
        links.deliver(HOST, packet("keep"));
        assertThat(links.octetsHeld()).isPositive();
        assertThatThrownBy(links::close).isInstanceOf(ContractViolation.class).hasMessageContaining("not released");
        service.kept.release();
        ByteBuf stream = new PacketBuilder(ServiceHarness.TYPE_ID).options(new PacketOptions().destination(
                org.tamanoir.anep.Identifier.of(HOST.getAddress()))).build(UnpooledByteBufAllocator.DEFAULT);
        LinkHarness other = harness.openLinks(false);
        assertThatThrownBy(() -> other.deliver(HOST, stream)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("belongs to a stream");
    }
}
