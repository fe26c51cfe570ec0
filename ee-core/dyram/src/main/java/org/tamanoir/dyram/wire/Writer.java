package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Echo;
import org.tamanoir.dyram.wire.Message.Have;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Leave;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Refuse;
import org.tamanoir.dyram.wire.Message.Rejoin;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.Message.Wrong;

/** Fields to octets: one method that names each message's fields in the order of {@code docs/dyram.md}. */
final class Writer {
    static final int JOIN_NODE = 1;
    static final int JOIN_GROUP = 2;
    static final int ANNOUNCE_STARTED = 1;
    static final int ANNOUNCE_GROUP = 2;
    static final int ANNOUNCE_SERVICES = 4;
    static final int BEAT_FINISHED = 1;
    static final int HAVE_LOOKING = 1;

    private Writer() {
    }

    /** The payload of a message that is no data packet. */
    static void write(Message message, ByteBuf out) {
        if (message instanceof Announce announce) {
            head(out, Kind.ANNOUNCE, ofTerms(announce) | (announce.toGroup() ? ANNOUNCE_GROUP : 0), announce.hops());
            fields(announce, out);
            out.writeBytes(announce.tag());
        } else if (message instanceof Listen listen) {
            head(out, Kind.LISTEN, 0, 0);
            address(listen.group(), out);
        } else if (message instanceof Join join) {
            head(out, Kind.JOIN, (join.viaNode() ? JOIN_NODE : 0) | (join.hearsGroup() ? JOIN_GROUP : 0), 0);
            fields(join, out);
            out.writeBytes(join.tag());
        } else if (message instanceof Accept accept) {
            head(out, Kind.ACCEPT, 0, accept.member());
            fields(accept, out);
            out.writeBytes(accept.tag()).writeLong(accept.cookie());
        } else if (message instanceof Refuse refuse) {
            head(out, Kind.REFUSE, 0, refuse.code().number());
            fields(refuse, out);
            out.writeBytes(refuse.tag());
        } else if (message instanceof Beat beat) {
            head(out, Kind.BEAT, beat.finished() ? BEAT_FINISHED : 0, 0);
            fields(beat, out);
            out.writeBytes(beat.tag());
        } else if (message instanceof Close close) {
            head(out, Kind.CLOSE, 0, close.code() == null ? 0 : close.code().number());
            out.writeBytes(close.tag());
        } else if (message instanceof Rejoin) {
            head(out, Kind.REJOIN, 0, 0);
        } else if (message instanceof Challenge challenge) {
            head(out, Kind.CHALLENGE, 0, 0).writeLong(challenge.cookie());
        } else if (message instanceof Answer answer) {
            head(out, Kind.ANSWER, 0, 0).writeLong(answer.cookie());
        } else if (message instanceof Message.HopMessage hop) {
            hop(hop, out);
        } else {
            throw new IllegalArgumentException(message.getClass().getSimpleName() + " is not written here");
        }
    }

    private static void hop(Message.HopMessage message, ByteBuf out) {
        if (message instanceof Nack nack) {
            head(out, Kind.NACK, 0, nack.losses().ranges().size()).writeLong(nack.cookie());
            losses(nack.losses(), out);
        } else if (message instanceof Request request) {
            head(out, Kind.REQUEST, 0, request.losses().ranges().size()).writeLong(request.cookie());
            losses(request.losses(), out);
        } else if (message instanceof Heard heard) {
            head(out, Kind.HEARD, 0, heard.losses().ranges().size()).writeLong(heard.cookie()).writeInt(heard.within());
            losses(heard.losses(), out);
        } else if (message instanceof Report report) {
            head(out, Kind.REPORT, 0, report.members().size()).writeLong(report.cookie());
            out.writeInt(report.stamp()).writeInt(report.rtt()).writeInt(report.local()).writeLong(report.ordered()).writeLong(report.highest());
            out.writeInt(report.delay()).writeShort(report.loss()).writeShort(report.worst()).writeLong(report.rate());
            for (MemberState state : report.members()) {
                out.writeShort(state.member()).writeByte(state.phase().ordinal()).writeByte(0).writeLong(state.have());
            }
        } else if (message instanceof Echo echo) {
            head(out, Kind.ECHO, 0, 0).writeLong(echo.cookie()).writeInt(echo.stamp()).writeInt(echo.local()).writeInt(echo.remote());
        } else if (message instanceof Leave leave) {
            head(out, Kind.LEAVE, 0, leave.member()).writeLong(leave.cookie());
        } else if (message instanceof Have have) {
            head(out, Kind.HAVE, have.looking() ? HAVE_LOOKING : 0, have.held().ranges().size()).writeLong(have.cookie());
            have.held().ranges().forEach(range -> out.writeLong(range.first()).writeLong(range.count()));
        } else if (message instanceof Wrong wrong) {
            head(out, Kind.WRONG, 0, wrong.replier()).writeLong(wrong.cookie()).writeLong(wrong.sequence());
        }
    }

    /** What the tag covers. */
    static void writeTagged(Message.Tagged message, ByteBuf out) {
        if (message instanceof Announce announce) {
            head(out, Kind.ANNOUNCE, ofTerms(announce), 0).writeLong(announce.session());
            fields(announce, out);
        } else if (message instanceof Join join) {
            head(out, Kind.JOIN, 0, 0).writeLong(join.session());
            fields(join, out);
        } else if (message instanceof Accept accept) {
            head(out, Kind.ACCEPT, 0, accept.member()).writeLong(accept.session());
            fields(accept, out);
        } else if (message instanceof Refuse refuse) {
            head(out, Kind.REFUSE, 0, refuse.code().number()).writeLong(refuse.session());
            fields(refuse, out);
        } else if (message instanceof Beat beat) {
            head(out, Kind.BEAT, beat.finished() ? BEAT_FINISHED : 0, 0).writeLong(beat.session());
            fields(beat, out);
        } else if (message instanceof Close close) {
            head(out, Kind.CLOSE, 0, close.code() == null ? 0 : close.code().number()).writeLong(close.session());
        }
    }

    /** The four octets that every message begins with. */
    private static ByteBuf head(ByteBuf out, Kind kind, int flags, int number) {
        return out.writeByte(kind.number()).writeByte(flags).writeShort(number);
    }

    /** The flags that the source sets. */
    private static int ofTerms(Announce announce) {
        return (announce.terms().started() ? ANNOUNCE_STARTED : 0) | (choosesServices(announce.terms()) ? ANNOUNCE_SERVICES : 0);
    }

    /** A session that wants everything says nothing of services: so do those that know no other. */
    private static boolean choosesServices(SessionTerms terms) {
        return !terms.services().equals(ServiceChoice.ALL);
    }

    private static void fields(Announce announce, ByteBuf out) {
        SessionTerms terms = announce.terms();
        out.writeInt(announce.number()).writeInt(terms.packetSize()).writeLong(terms.first()).writeLong(terms.packets());
        out.writeLong(terms.rate()).writeLong(terms.salt());
        address(terms.group(), out);
        if (choosesServices(terms)) {
            out.writeByte(terms.services().atSource().bits()).writeByte(terms.services().elsewhere().bits());
        }
    }

    private static void fields(Join join, ByteBuf out) {
        receiver(join.name(), join.instance(), out);
    }

    private static void fields(Accept accept, ByteBuf out) {
        receiver(accept.name(), accept.instance(), out);
    }

    private static void fields(Refuse refuse, ByteBuf out) {
        receiver(refuse.name(), refuse.instance(), out);
    }

    private static void fields(Beat beat, ByteBuf out) {
        out.writeInt(beat.number()).writeInt(beat.stamp()).writeLong(beat.next());
        if (beat.finished()) {
            out.writeBytes(beat.digest());
        }
    }

    private static void receiver(String name, long instance, ByteBuf out) {
        byte[] octets = name.getBytes(StandardCharsets.UTF_8);
        out.writeLong(instance).writeByte(octets.length).writeBytes(octets);
    }

    private static void losses(Losses losses, ByteBuf out) {
        for (Losses.Range range : losses.ranges()) {
            out.writeLong(range.first()).writeShort(range.count()).writeByte(range.rank()).writeByte(0);
        }
    }

    /** Octets of the address (0, 4 or 16), a zero, the port, the address. */
    private static void address(InetSocketAddress address, ByteBuf out) {
        if (address == null) {
            out.writeInt(0);
            return;
        }
        byte[] octets = address.getAddress().getAddress();
        out.writeByte(octets.length).writeByte(0).writeShort(address.getPort()).writeBytes(octets);
    }
}
