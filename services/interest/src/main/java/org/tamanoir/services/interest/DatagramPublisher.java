package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.interest.tree.Numbering;

/**
 * A program that publishes by datagrams: it wants nothing and is told nothing. What it has published is brought once and in its order, or not at all: a datagram that comes
 * late, or a second time, is thrown away.
 */
final class DatagramPublisher implements StreamHandler {
    private final Space space;
    /** What the codes have in common of those who name this space as this program does. */
    private final long codes;
    private final Numbering numbers = new Numbering();
    private final EventView view = new EventView();
    /** It is refused, and told with its next datagram. */
    private AnepException refused;

    DatagramPublisher(Space space, long codes) {
        this.space = space;
        this.codes = codes;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        if (packet.payloadLength() > 0) {
            space.turn(() -> take(packet.payload(), packet.qosSession()));
        }
        return Verdict.TAKEN;
    }

    /** Holding its space. */
    private void take(ByteBuf in, long code) {
        if (refused != null) {
            throw refused;
        }
        int group = TopicGroups.isOf(codes, code) ? TopicGroups.group(code, codes) : Numbering.NO_GROUP;
        int begin = in.readerIndex();
        long number = -1;
        if (in.getUnsignedByte(begin) == Frames.NUMBERED) {
            int end = end(in, begin);
            Frames.check(end - begin == Frames.HEADER + Long.BYTES && in.getLong(begin + Frames.HEADER) >= 0, Frames.NUMBERED, end - begin - Frames.HEADER);
            number = in.getLong(begin + Frames.HEADER);
            begin = end;
        }
        int events = check(in, begin, group);
        if (number >= 0) {
            if (numbers.isLate(group, number)) {
                space.counters().late.add(events);
                return;
            }
            space.counters().lost.add(numbers.came(group, number, events));
        }
        for (int at = begin, end; at < in.writerIndex(); at = end) {
            end = end(in, at);
            space.published(view.wrap(in, at + Frames.HEADER, end));
        }
    }

    /** All events first, so that none of a datagram counts that is no good. @return how many there are */
    private int check(ByteBuf in, int begin, int group) {
        int events = 0;
        for (int at = begin, end; at < in.writerIndex(); at = end) {
            end = end(in, at);
            if (in.getUnsignedByte(at) != Frames.EVENT) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a frame of kind " + in.getUnsignedByte(at) + " in a datagram, which brings events and nothing else");
            }
            view.wrap(in, at + Frames.HEADER, end);
            if (group != Numbering.NO_GROUP && TopicGroups.of(in, view.topic(), view.topicLength()) != group) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a datagram whose QoS session says that its events are of group " + group + ", with one of '" + view.topicText() + "', which is of another");
            }
            space.checkEvent(end - at - Frames.HEADER);
            events++;
        }
        return events;
    }

    /** Where a frame ends. @throws AnepException EE-109 if that is not in the datagram */
    private static int end(ByteBuf in, int at) {
        int end = in.writerIndex() - at < Frames.HEADER ? Integer.MAX_VALUE : at + Frames.HEADER + in.getUnsignedMedium(at + 1);
        if (end > in.writerIndex()) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a datagram that ends within a frame");
        }
        return end;
    }

    /** Events of a group are dropped below from now on, or no more. Holding its space. */
    void forget(int group) {
        numbers.forget(group);
    }

    void refuse(AnepException why) {
        refused = why;
    }

    long codes() {
        return codes;
    }

    @Override
    public void onEnd(Output out) {
        space.turn(() -> space.left(this));
    }

    @Override
    public void close() {
        space.turn(() -> space.left(this));
    }
}
