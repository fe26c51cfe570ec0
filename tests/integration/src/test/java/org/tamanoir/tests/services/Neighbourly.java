package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

/**
 * Does what the first word of a datagram says: {@code version} answers with its version, {@code around} asks the neighbours who they are
 * and passes their answers on, {@code throw}, {@code loop}, and {@code join} and {@code tell} of a group.
 */
public final class Neighbourly implements LinkService {
    private ServiceContext service;

    @Override
    public void start(ServiceContext service) {
        this.service = service;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> Verdict.PASS;
    }

    @Override
    public LinkHandler openLinks(Links links) {
        return new Handler(service, links);
    }

    private static final class Handler implements LinkHandler {
        private final ServiceContext service;
        private final Links links;
        private final List<InetSocketAddress> curious = new ArrayList<>();
        private int packets;
        private int ticks;

        Handler(ServiceContext service, Links links) {
            this.service = service;
            this.links = links;
            tick();
        }

        private void tick() {
            ticks++;
            links.later(Duration.ofMillis(20), this::tick);
        }

        @Override
        public void onPacket(Packet packet, InetSocketAddress from) {
            packets++;
            String[] words = packet.payload().toString(StandardCharsets.US_ASCII).split(" ");
            switch (words[0]) {
                case "version" -> say(packet, service.version(), from);
                case "around" -> {
                    curious.add(from);
                    links.neighbours().forEach(neighbour -> say(packet, "who", neighbour));
                }
                case "who" -> say(packet, "here " + service.version(), from);
                case "here" -> curious.forEach(host -> say(packet, String.join(" ", words) + " from " + from.getPort(), host));
                case "join" -> say(packet, Boolean.toString(links.join(group(words))), from);
                case "tell" -> say(packet, Boolean.toString(say(packet, "told", group(words))), from);
                case "throw" -> throw new IllegalStateException("on purpose");
                case "loop" -> Mischief.loop();
                default -> { }
            }
        }

        private static InetSocketAddress group(String[] words) {
            return new InetSocketAddress(words[1], Integer.parseInt(words[2]));
        }

        private boolean say(Packet about, String text, InetSocketAddress to) {
            ByteBuf payload = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
            try {
                return links.send(new PacketBuilder(about.typeId()).options(new PacketOptions().stream(about.streamId(), about.sequence()))
                        .payload(payload).build(links.allocator()), to);
            } finally {
                payload.release();
            }
        }

        @Override
        public Map<String, Object> report() {
            return Map.of("packets", packets, "ticks", ticks);
        }
    }
}
