package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;

/** What a session has done: {@link SessionEnd} calls it, and may be called from it only by what says so. */
public interface SessionIo {
    /** Opens a leg, by the same or another next hop, now or when others have been opened: {@link SessionEnd#opening} is its first packet. The opener alone. */
    void open(int epoch);

    /** Octets for the current leg, one packet at most; the reference is given away. @return whether more may follow; if not, {@link SessionEnd#room} says when */
    boolean send(ByteBuf octets);

    /** A mark for the current leg. */
    void send(Mark mark);

    /** The current leg is over: after what was sent on it, or at once. */
    void close(boolean clean);

    /** Octets for the application; the reference is given away. {@link SessionEnd#kept} follows once they are where they shall be, also from within. */
    void deliver(ByteBuf octets);

    /** The other direction has ended, whole. */
    void deliverEnd();

    /** The far end has kept everything that was written here, its end included. */
    void everythingKept();

    /** Both directions are finished, and both ends know. */
    void done();

    /** The opener knows that it is {@link #done}: nobody will ask for the session again. The acceptor alone. */
    void forgotten();

    /** The session is over before its time: the application's connection is to be reset. Its leg is closed. */
    void failed(ErrorCode why);
}
