package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;

/**
 * One packet that came as one datagram, with its sender. Reference-counted as every Netty message: the view of {@link #packet()} is valid
 * until the datagram is released.
 */
public final class AnepDatagram extends DatagramPacket {
    private final Packet packet;

    /**
     * Takes over the reference of the datagram's content, unless it throws.
     *
     * @throws MalformedPacketException if the content is not exactly one packet, or an option of it is bad
     */
    public AnepDatagram(DatagramPacket datagram) {
        this(datagram.content(), check(datagram.content()), datagram.recipient(), datagram.sender());
    }

    private AnepDatagram(ByteBuf content, Packet packet, InetSocketAddress recipient, InetSocketAddress sender) {
        super(content, recipient, sender);
        this.packet = packet;
    }

    private static Packet check(ByteBuf content) {
        Packet packet = Packet.of(content);
        packet.checkOptions();
        return packet;
    }

    /** The packet, its options checked. */
    public Packet packet() {
        return packet;
    }

    @Override
    public AnepDatagram retain() {
        super.retain();
        return this;
    }

    @Override
    public AnepDatagram retain(int increment) {
        super.retain(increment);
        return this;
    }
}
