package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** What a leg hands over and tells its owner, in order and in words: {@code "5401:3 octets"}, {@code "ended"}, {@code "broken EE-101"}. */
public final class LegLog extends Stage implements TcpEvents {
    private final List<String> lines = new ArrayList<>();
    private Runnable atPacket = () -> { };
    private Runnable atEnd = () -> { };
    private ByteBuf unseen;

    public LegLog() {
        super(null);
    }

    /** A packet without options, on the heap. */
    public static ByteBuf packet(int typeId, int octets) {
        ByteBuf out = Unpooled.buffer();
        new PacketBuilder(typeId).payload(Unpooled.wrappedBuffer(new byte[octets])).writeTo(out);
        return out;
    }

    /** Packets without options behind one another, with payloads of these sizes. */
    public static ByteBuf packets(int... octets) {
        ByteBuf all = Unpooled.buffer();
        for (int payload : octets) {
            all.writeBytes(packet(0x5401, payload));
        }
        return all;
    }

    public List<String> lines() {
        return lines;
    }

    /** Does something with each packet, during the call. */
    public void atPacket(Runnable act) {
        atPacket = act;
    }

    /** Does something when the peer has ended or the connection is broken, during the call. */
    public void atEnd(Runnable act) {
        atEnd = act;
    }

    /** What {@link #unseen} was told. */
    ByteBuf unseen() {
        return unseen;
    }

    @Override
    public void packet(Packet packet) {
        lines.add(Integer.toHexString(packet.typeId()) + ":" + packet.payloadLength() + " octets");
        atPacket.run();
    }

    @Override
    public void flush() {
        // Nothing is gathered.
    }

    @Override
    public void ended(boolean clean) {
        lines.add(clean ? "ended" : "ended inside a packet");
        atEnd.run();
    }

    @Override
    public void broken(AnepException cause) {
        lines.add("broken " + cause.code());
        atEnd.run();
    }

    @Override
    public void unseen(ByteBuf sent) {
        lines.add("unseen");
        unseen = sent;
    }

    @Override
    public void finished() {
        lines.add("finished");
    }

    @Override
    public void room(boolean room) {
        lines.add(room ? "room" : "no room");
    }
}
