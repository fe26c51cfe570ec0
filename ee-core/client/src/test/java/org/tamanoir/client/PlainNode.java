package org.tamanoir.client;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What stands where a node would: a blocking server that shares no code with what is tested. Each connection has a thread. */
public final class PlainNode implements Closeable {
    private final ServerSocket server;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    /** What a node does with one connection; the socket is closed afterwards. */
    public interface Behaviour {
        void serve(Socket connection) throws Exception;
    }

    public PlainNode(Behaviour behaviour) throws IOException {
        server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        start("plain-node", () -> {
            while (true) {
                Socket connection = server.accept();
                sockets.add(connection);
                start("plain-node-connection", () -> {
                    try (connection) {
                        behaviour.serve(connection);
                    }
                });
            }
        });
    }

    /** Passes the stream on to its destination, as packets or raw as its first packet asks, and the way back. */
    public static PlainNode relay() throws IOException {
        return new PlainNode(PlainNode::relay);
    }

    private static void relay(Socket source) throws Exception {
        DataInputStream in = new DataInputStream(source.getInputStream());
        byte[] opening = readPacket(in);
        OpeningFields fields = OpeningFields.of(opening);
        try (Socket destination = new Socket(fields.address(), fields.port())) {
            source.setTcpNoDelay(true);
            destination.setTcpNoDelay(true);
            destination.setSoLinger(true, 0);
            if (!fields.raw()) {
                destination.getOutputStream().write(opening);
            }
            if (fields.asksConnected()) {
                source.getOutputStream().write(new byte[] {1, (byte) 0x80, (byte) (fields.typeId() >> 8), (byte) fields.typeId(), 0, 3, 0, 12, (byte) 0xC0, 0x11, 0, 1});
            }
            Thread back = start("plain-node-back", () -> passBack(destination, source, fields));
            if (fields.raw()) {
                for (byte[] packet = readPacket(in); packet != null; packet = readPacket(in)) {
                    int header = headerLength(packet);
                    destination.getOutputStream().write(packet, header, packet.length - header);
                }
            } else {
                in.transferTo(destination.getOutputStream());
            }
            destination.shutdownOutput();
            back.join();
            destination.setSoLinger(false, 0);
        } catch (IOException e) {
            source.setSoLinger(true, 0);
            throw e;
        }
    }

    private static void passBack(Socket destination, Socket source, OpeningFields fields) throws IOException {
        try {
            if (fields.raw()) {
                byte[] buffer = new byte[30_000];
                for (int n = destination.getInputStream().read(buffer); n >= 0; n = destination.getInputStream().read(buffer)) {
                    source.getOutputStream().write(bare(fields.typeId(), buffer, n));
                }
            } else {
                destination.getInputStream().transferTo(source.getOutputStream());
            }
            source.shutdownOutput();
        } catch (IOException e) {
            source.setSoLinger(true, 0);
            source.close();
        }
    }

    /** A packet with a bare header, written out by hand. */
    public static byte[] bare(int typeId, byte[] payload, int length) {
        byte[] packet = new byte[8 + length];
        packet[0] = 1;
        packet[2] = (byte) (typeId >> 8);
        packet[3] = (byte) typeId;
        packet[5] = 2;
        packet[6] = (byte) (packet.length >> 8);
        packet[7] = (byte) packet.length;
        System.arraycopy(payload, 0, packet, 8, length);
        return packet;
    }

    /** The next packet whole, or null at the end. */
    public static byte[] readPacket(DataInputStream in) throws IOException {
        int version = in.read();
        if (version < 0) {
            return null;
        }
        byte[] header = new byte[8];
        header[0] = (byte) version;
        in.readFully(header, 1, 7);
        byte[] packet = new byte[(header[6] & 0xFF) << 8 | header[7] & 0xFF];
        System.arraycopy(header, 0, packet, 0, 8);
        in.readFully(packet, 8, packet.length - 8);
        return packet;
    }

    static int headerLength(byte[] packet) {
        return number(packet, 4) * 4;
    }

    private static int number(byte[] packet, int at) {
        return (packet[at] & 0xFF) << 8 | packet[at + 1] & 0xFF;
    }

    /** Where an option begins, or -1. @param tag the first 16 bits of it */
    static int option(byte[] packet, int tag) {
        for (int at = 8; at < headerLength(packet); at += number(packet, at + 2) * 4) {
            if (number(packet, at) == tag) {
                return at;
            }
        }
        return -1;
    }

    /** What a relay needs of the first packet. */
    record OpeningFields(int typeId, InetAddress address, int port, boolean raw, boolean asksConnected) {
        static OpeningFields of(byte[] packet) throws IOException {
            int destination = option(packet, 2);
            int delivery = option(packet, 0xC002);
            return new OpeningFields(number(packet, 2), destination < 0 ? null : InetAddress.getByAddress(Arrays.copyOfRange(packet, destination + 8, destination + 12)),
                    delivery < 0 ? 0 : number(packet, delivery + 4), delivery >= 0 && packet[delivery + 6] == 1, option(packet, 0xC011) >= 0);
        }
    }

    /** A daemon thread; an exception ends it quietly, as a broken connection ends a server's. */
    public static Thread start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                // The tests look at what the other end sees.
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A runnable that may throw. */
    public interface Task {
        void run() throws Exception;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : List.copyOf(sockets)) {
            socket.close();
        }
    }
}
