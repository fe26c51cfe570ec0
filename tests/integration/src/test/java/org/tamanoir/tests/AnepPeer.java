package org.tamanoir.tests;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.NetUtil;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** A plain socket that says exactly the octets it is told. */
final class AnepPeer implements AutoCloseable {
    private final Socket socket = new Socket();
    private final DataInputStream in;

    AnepPeer(InetSocketAddress node) throws IOException {
        this(node, null);
    }

    /** @param source of this machine; null for any */
    AnepPeer(InetSocketAddress node, InetAddress source) throws IOException {
        socket.setSoTimeout(40_000);
        if (source != null) {
            socket.bind(new InetSocketAddress(source, 0));
        }
        socket.connect(node, 15_000);
        in = new DataInputStream(socket.getInputStream());
    }

    /** The options of a stream to a port of loopback. */
    static PacketOptions to(int port, Delivery delivery, int... chain) {
        return to("127.0.0.1", port, delivery, chain);
    }

    /** @param address a numeric one */
    static PacketOptions to(String address, int port, Delivery delivery, int... chain) {
        return new PacketOptions().destination(Identifier.of(NetUtil.createInetAddressFromIpAddressString(address)))
                .delivery(port, delivery).stream(7, 0).chain(chain);
    }

    /** A first packet that asks for all of its services. */
    static byte[] opening(int typeId, PacketOptions options) {
        return packet(new PacketBuilder(typeId).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options));
    }

    static byte[] data(int typeId, byte[] payload) {
        return packet(new PacketBuilder(typeId).payload(Unpooled.wrappedBuffer(payload)));
    }

    /** An error packet of stream 1. */
    static byte[] error(ErrorCode code) {
        return octets(PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, code, "made up", 1));
    }

    static byte[] packet(PacketBuilder builder) {
        return octets(builder.build(UnpooledByteBufAllocator.DEFAULT));
    }

    private static byte[] octets(ByteBuf built) {
        byte[] octets = new byte[built.readableBytes()];
        built.readBytes(octets);
        built.release();
        return octets;
    }

    AnepPeer send(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
        return this;
    }

    AnepPeer finish() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    Socket socket() {
        return socket;
    }

    /** The next packet, or null at the end of the stream. */
    Packet receive() throws IOException {
        byte[] header = new byte[Anep.HEADER_SIZE];
        int first = in.read();
        if (first < 0) {
            return null;
        }
        header[0] = (byte) first;
        in.readFully(header, 1, header.length - 1);
        int length = (header[6] & 0xFF) << 8 | header[7] & 0xFF;
        byte[] whole = java.util.Arrays.copyOf(header, length);
        in.readFully(whole, header.length, length - header.length);
        Packet packet = Packet.of(Unpooled.wrappedBuffer(whole));
        packet.checkOptions();
        return packet;
    }

    /** The error that the node answers with, behind whatever data came before it. */
    ErrorCode refusalAfterData() throws IOException {
        for (Packet packet = receive(); packet != null; packet = receive()) {
            if (packet.typeId() == Anep.TYPE_ERROR) {
                return packet.options().error().code();
            }
        }
        throw new EOFException("the stream ended cleanly");
    }

    /** The error that the node answers with; fails if it says anything else. */
    ErrorCode refusal() throws IOException {
        Packet packet = receive();
        if (packet == null) {
            throw new EOFException("the node closed without a word");
        }
        if (packet.typeId() != Anep.TYPE_ERROR) {
            throw new IOException("the node sent " + packet);
        }
        return packet.options().error().code();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
