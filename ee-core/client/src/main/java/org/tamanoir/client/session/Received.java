package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.tamanoir.anep.Crc32c;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.State;

/**
 * What has come of one direction, what of it is kept, and where another chain of nodes would go on with it: behind the last octet, or, where services on the
 * way know something of the stream, behind the last mark, for that has what they knew there. What follows the mark they have to see again, and this end
 * has it: it is compared, and not handed over.
 */
final class Received {
    /** A mark that a chain can go on behind. */
    private record Point(long offset, int checksum, List<State> states) {
    }

    private long octets;
    private final Crc32c sum = new Crc32c();
    private boolean ended;
    private long kept;
    /** Null where services know nothing. */
    private Point point;
    /** Where the leg is; before {@link #octets} it brings what is here. */
    private long at;
    /** The checksum there. */
    private final Crc32c again = new Crc32c();

    /** The first chain of nodes stands. @param knowing the services on it that know something, without what they know */
    void begin(List<State> knowing) {
        point = knowing.isEmpty() ? null : new Point(0, 0, knowing);
    }

    /** Another chain stands, and goes on at {@link #from}. */
    void rewind() {
        at = from();
        again.restart(checksum());
    }

    /** Takes octets of the leg. @return whether they can be so; what is left to read of them is new */
    boolean take(ByteBuf more) {
        int known = (int) Math.min(more.readableBytes(), octets - at);
        if (known > 0) {
            again.update(more.nioBuffer(more.readerIndex(), known));
            more.skipBytes(known);
            at += known;
            if (at == octets && again.value() != sum.value()) {
                return false;
            }
        }
        if (more.isReadable()) {
            if (ended) {
                return false;
            }
            sum.update(more.nioBuffer());
            octets += more.readableBytes();
            at = octets;
        }
        return true;
    }

    /** A mark of the leg. @return what is wrong with it, or null */
    ErrorCode mark(Mark mark) {
        int here = at == octets ? sum.value() : again.value();
        if (mark.offset() != at || mark.checksum() != here || mark.last() && at != octets) {
            return ErrorCode.SESSION_DIFFERS;
        }
        if (mark.states().size() != (point == null ? 0 : point.states.size())) {
            return ErrorCode.SESSION_STATE;
        }
        if (point != null) {
            point = new Point(at, here, mark.states());
        }
        return null;
    }

    void end() {
        ended = true;
    }

    /** So many octets are where they shall be. */
    void keep(long upTo) {
        if (upTo > octets) {
            throw new IllegalArgumentException(upTo + " octets cannot be kept, " + octets + " have come");
        }
        kept = Math.max(kept, upTo);
    }

    /** Octets that have come. */
    long octets() {
        return octets;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Octets that need not be sent again. */
    long kept() {
        return point == null ? kept : Math.min(kept, point.offset);
    }

    /** Whether everything has come and is kept, the end too. */
    boolean isKept() {
        return ended && kept() == octets;
    }

    /** Where another chain would go on. */
    long from() {
        return point == null ? octets : point.offset;
    }

    /** The CRC-32C of what is before that. */
    int checksum() {
        return point == null ? sum.value() : point.checksum;
    }

    /** What services on the way knew there. */
    List<State> states() {
        return point == null ? List.of() : point.states;
    }
}
