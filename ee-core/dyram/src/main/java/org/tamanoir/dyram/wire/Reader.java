package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.ErrorCode;
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

/** Octets to fields; whatever does not fit exactly is refused. */
final class Reader {
    private static final int MOST_NAME = 64;
    private static final int DIGEST = 32;

    private Reader() {
    }

    /** @param in the payload, from its kind on */
    static Message read(Kind kind, long session, ByteBuf in) {
        in.skipBytes(1);
        int flags = in.readUnsignedByte();
        int number = in.readUnsignedShort();
        try {
            Message message = switch (kind) {
                case ANNOUNCE -> announce(session, flags, number, in);
                case LISTEN -> new Listen(address(in));
                case JOIN -> join(session, flags, in);
                case ACCEPT -> accept(session, number, in);
                case REFUSE -> refuse(session, number, in);
                case NACK -> new Nack(session, in.readLong(), losses(number, in));
                case REQUEST -> new Request(session, in.readLong(), losses(number, in));
                case HEARD -> heard(session, number, in);
                case REPORT -> report(session, number, in);
                case ECHO -> new Echo(session, in.readLong(), in.readInt(), positive(in), positive(in));
                case BEAT -> beat(session, flags, in);
                case LEAVE -> new Leave(session, in.readLong(), number);
                case CLOSE -> new Close(session, number == 0 ? null : ErrorCode.of(number), tag(in));
                case WRONG -> new Wrong(session, in.readLong(), in.readLong(), number);
                case REJOIN -> new Rejoin(session);
                case CHALLENGE -> new Challenge(session, in.readLong());
                case ANSWER -> new Answer(session, in.readLong());
                case HAVE -> new Have(session, in.readLong(), (flags & Writer.HAVE_LOOKING) != 0, held(number, in));
                case DATA -> throw new BadMessageException("a data packet is not read here");
            };
            if (in.isReadable()) {
                throw new BadMessageException(kind + " with " + in.readableBytes() + " octets too many");
            }
            return message;
        } catch (IndexOutOfBoundsException e) {
            throw new BadMessageException(kind + " is cut short");
        } catch (IllegalArgumentException e) {
            throw new BadMessageException(kind + ": " + e.getMessage());
        }
    }

    private static Announce announce(long session, int flags, int hops, ByteBuf in) {
        int number = in.readInt();
        int packetSize = in.readInt();
        long first = in.readLong();
        long packets = in.readLong();
        long rate = in.readLong();
        long salt = in.readLong();
        InetSocketAddress group = address(in);
        if (group == null) {
            throw new BadMessageException("an announcement without a group");
        }
        return new Announce(session, number, hops, (flags & Writer.ANNOUNCE_GROUP) != 0, new SessionTerms(group, first, packets, packetSize, rate,
                (flags & Writer.ANNOUNCE_STARTED) != 0, salt, services(flags, in)), tag(in));
    }

    /** Everything is said in one way only: what is read is written again as it was, and its tag still fits. */
    private static ServiceChoice services(int flags, ByteBuf in) {
        if ((flags & Writer.ANNOUNCE_SERVICES) == 0) {
            return ServiceChoice.ALL;
        }
        ServiceChoice choice = new ServiceChoice(new ServiceSet(in.readUnsignedByte()), new ServiceSet(in.readUnsignedByte()));
        if (choice.equals(ServiceChoice.ALL)) {
            throw new BadMessageException("an announcement that chooses every service");
        }
        return choice;
    }

    private static Join join(long session, int flags, ByteBuf in) {
        long instance = in.readLong();
        return new Join(session, name(in), instance, (flags & Writer.JOIN_NODE) != 0, (flags & Writer.JOIN_GROUP) != 0, tag(in));
    }

    private static Accept accept(long session, int member, ByteBuf in) {
        long instance = in.readLong();
        String name = name(in);
        byte[] tag = tag(in);
        return new Accept(session, name, instance, member, in.readLong(), tag);
    }

    private static Refuse refuse(long session, int code, ByteBuf in) {
        long instance = in.readLong();
        return new Refuse(session, name(in), instance, ErrorCode.of(code), tag(in));
    }

    private static Heard heard(long session, int count, ByteBuf in) {
        long cookie = in.readLong();
        int within = positive(in);
        return new Heard(session, cookie, losses(count, in), within);
    }

    private static Report report(long session, int count, ByteBuf in) {
        long cookie = in.readLong();
        int stamp = in.readInt();
        int rtt = positive(in);
        int local = positive(in);
        long ordered = in.readLong();
        long highest = in.readLong();
        int delay = positive(in);
        int loss = in.readUnsignedShort();
        int worst = in.readUnsignedShort();
        long rate = in.readLong();
        if (count > Report.MOST_MEMBERS || rate < 0) {
            throw new BadMessageException("a report of " + count + " members at " + rate + " bit/s");
        }
        List<MemberState> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int member = in.readUnsignedShort();
            MemberState.Phase phase = MemberState.Phase.of(in.readUnsignedByte());
            in.skipBytes(1);
            long have = in.readLong();
            if (phase == null || have < 0) {
                throw new BadMessageException("a member without a state");
            }
            members.add(new MemberState(member, phase, have));
        }
        return new Report(session, cookie, stamp, rtt, local, ordered, highest, delay, loss, rate, worst, members);
    }

    private static Beat beat(long session, int flags, ByteBuf in) {
        int number = in.readInt();
        int stamp = in.readInt();
        long next = in.readLong();
        boolean finished = (flags & Writer.BEAT_FINISHED) != 0;
        byte[] digest = new byte[finished ? DIGEST : 0];
        in.readBytes(digest);
        return new Beat(session, number, next, stamp, finished, digest, tag(in));
    }

    private static Losses losses(int count, ByteBuf in) {
        if (count < 1 || count > Losses.MOST) {
            throw new BadMessageException(count + " ranges");
        }
        List<Losses.Range> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long first = in.readLong();
            int packets = in.readUnsignedShort();
            ranges.add(new Losses.Range(first, packets, in.readUnsignedByte()));
            in.skipBytes(1);
        }
        return new Losses(ranges);
    }

    private static Held held(int count, ByteBuf in) {
        if (count > Held.MOST) {
            throw new BadMessageException(count + " ranges");
        }
        List<Held.Range> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(new Held.Range(in.readLong(), in.readLong()));
        }
        return new Held(ranges);
    }

    private static int positive(ByteBuf in) {
        int value = in.readInt();
        if (value < 0) {
            throw new BadMessageException("a time of " + value);
        }
        return value;
    }

    private static String name(ByteBuf in) {
        int length = in.readUnsignedByte();
        if (length < 1 || length > MOST_NAME) {
            throw new BadMessageException("a name of " + length + " octets");
        }
        byte[] octets = new byte[length];
        in.readBytes(octets);
        try {
            String name = StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(octets)).toString();
            if (name.chars().anyMatch(Character::isISOControl)) {
                throw new BadMessageException("a name with control characters");
            }
            return name;
        } catch (CharacterCodingException e) {
            throw new BadMessageException("a name that is not UTF-8");
        }
    }

    private static byte[] tag(ByteBuf in) {
        byte[] tag = new byte[SessionKey.TAG_LENGTH];
        in.readBytes(tag);
        return tag;
    }

    private static InetSocketAddress address(ByteBuf in) {
        int length = in.readUnsignedByte();
        in.skipBytes(1);
        int port = in.readUnsignedShort();
        if (length == 0) {
            return null;
        }
        if (length != 4 && length != 16) {
            throw new BadMessageException("an address of " + length + " octets");
        }
        byte[] octets = new byte[length];
        in.readBytes(octets);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(octets), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("a whole address", e);
        }
    }
}
