package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Builders;
import net.jqwik.api.Combinators;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions.Unknown;

/** What the properties are about: any packet with any options, and any way to cut a stream. */
final class AnyPacket {
    /** What a packet is made of. */
    record Parts(int typeId, int flags, PacketOptions options, byte[] payload) {
        ByteBuf build(ByteBufAllocator allocator) {
            return new PacketBuilder(typeId).flags(flags).options(options).payload(Unpooled.wrappedBuffer(payload)).build(allocator);
        }
    }

    private AnyPacket() {
    }

    static Arbitrary<Parts> parts() {
        return Combinators.combine(Arbitraries.integers().between(0, 0xFFFF), Arbitraries.integers().between(0, 0xFF),
                options().injectNull(0.3), octets(0, 300, 1)).as(Parts::new).withoutEdgeCases();
    }

    /** Sizes of the pieces that a stream arrives in; used over and over. */
    static Arbitrary<List<Integer>> pieces() {
        return Arbitraries.oneOf(Arbitraries.just(List.of(1)),
                Arbitraries.integers().between(1, 9).list().ofMinSize(1).ofMaxSize(7),
                Arbitraries.integers().between(1, 700).list().ofMinSize(1).ofMaxSize(4));
    }

    static Arbitrary<PacketOptions> options() {
        Arbitrary<Integer> port = Arbitraries.integers().between(1, 0xFFFF);
        return Builders.withBuilder(PacketOptions::new)
                .use(address().injectNull(0.5)).in(PacketOptions::source)
                .use(address().injectNull(0.5)).in(PacketOptions::destination)
                .use(Arbitraries.of(true, false)).in(PacketOptions::checksum)
                .use(authenticator().injectNull(0.8)).in(PacketOptions::authentication)
                .use(Arbitraries.longs().array(long[].class).ofSize(2).injectNull(0.5)).in((o, s) -> s == null ? o : o.stream(s[0], s[1]))
                .use(port.injectNull(0.5)).in((o, p) -> p == null ? o : o.delivery(p, p % 2 == 0 ? Delivery.RAW : Delivery.ANEP))
                .use(port.array(int[].class).ofMaxSize(Anep.MAX_CHAIN)).in(PacketOptions::chain)
                .use(previousNode().injectNull(0.7)).in(PacketOptions::previousNode)
                .use(more()).in((o, add) -> add.to(o))
                .build().withoutEdgeCases();
    }

    private static Arbitrary<PreviousNode> previousNode() {
        return Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 0xFFFF)).as(PreviousNode::new);
    }

    private interface More {
        PacketOptions to(PacketOptions options);
    }

    private static Arbitrary<More> more() {
        Arbitrary<ErrorReport> error = Combinators.combine(Arbitraries.of(ErrorCode.values()),
                Arbitraries.strings().all().ofMaxLength(30).map(AnyPacket::wellFormed)).as(ErrorReport::new);
        return Combinators.combine(Arbitraries.integers().between(-1, 255), Arbitraries.longs(), Arbitraries.longs(),
                Arbitraries.of(ContentEncoding.values()).injectNull(0.5), error.injectNull(0.8),
                Arbitraries.of(ConnectionUse.values()).injectNull(0.5), unknown().list().ofMaxSize(3))
                .as((hops, session, time, encoding, report, use, unknown) -> options -> {
                    options.hops(hops).handedOver(hops >= 0 && session % 2 == 0).qosSession(session).timestamp(time).cookie(time ^ session).contentEncoding(encoding, encoding == null ? 0 : (int) (time & 0xFFFF))
                            .error(report).connection(use, use == ConnectionUse.OFFER ? session : 0)
                            .hopCheck(session % 3 == 0 ? HopCheck.of((int) (time & 1)) : null, session % 3 == 0 ? time : 0)
                            .session(message(session, time, report)).reach(session % 5 == 0).connected(session % 7 == 0)
                            .trace(session % 4 == 0 ? new TraceContext(session | 1, time, time | 1, (int) (session & 0xFF)) : null)
                            .parameters(session % 9 == 0 ? List.of(new StreamParameter(0x5403, "level", Long.toString(time)), new StreamParameter((int) (time & 0xFFF) + 1, "x-1", "")) : List.of());
                    unknown.forEach(options::addUnknown);
                    return options;
                });
    }

    private static SessionMessage message(long session, long time, ErrorReport report) {
        SessionMessage message = plain(session, time, report);
        if (message == null || session % 3 == 0) {
            return message;
        }
        List<State> states = new ArrayList<>();
        for (int i = 0; i < (time & 3); i++) {
            states.add(new State("service " + Long.toString(time >>> 3, 36).repeat(i), new byte[(int) (session >>> 3 & 63) * i]));
        }
        return message.with(states);
    }

    private static SessionMessage plain(long session, long time, ErrorReport report) {
        return switch ((int) (session & 7)) {
            case 0 -> new SessionMessage.Resume(session, time, ~time, (int) time, time % 2 == 0, time >>> 1, (int) session);
            case 1 -> new SessionMessage.Welcome(time, (int) session);
            case 2 -> new SessionMessage.Mark(time, (int) session, time % 2 == 0, ~time, time % 3 == 0, report == null ? null : report.code());
            default -> null;
        };
    }

    /** Half of a surrogate pair has no form in UTF-8. */
    private static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static Arbitrary<Identifier> address() {
        return Arbitraries.oneOf(
                octets(4, 4, 1).map(octets -> new Identifier(Identifier.IPV4, octets)),
                octets(16, 16, 1).map(octets -> new Identifier(Identifier.IPV6, octets)),
                octets(6, 6, 1).map(octets -> new Identifier(Identifier.IEEE_802_3, octets)),
                octets(0, 5, 4).map(octets -> new Identifier(77, octets)));
    }

    private static Arbitrary<Identifier> authenticator() {
        return Combinators.combine(Arbitraries.integers().between(-1, 4), octets(0, 20, 4)).as(Identifier::new);
    }

    /** Unknown to us, without the discard bit: public from 5 on (and 0), private from 11 on. */
    private static Arbitrary<Unknown> unknown() {
        Arbitrary<Integer> tag = Arbitraries.oneOf(Arbitraries.of(0, 0x8000), Arbitraries.integers().between(5, 0x3FFF),
                Arbitraries.integers().between(0x8020, 0xBFFF));
        return Combinators.combine(tag, octets(0, 4, 4)).as(Unknown::new);
    }

    private static Arbitrary<byte[]> octets(int least, int most, int unit) {
        return Arbitraries.integers().between(least, most).flatMap(size -> Arbitraries.bytes().array(byte[].class).ofSize(size * unit));
    }
}
