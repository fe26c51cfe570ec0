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
        return ((packet[4] & 0xFF) << 8 | packet[5] & 0xFF) * 4;
    }

    /** What a relay needs of the first packet. */
    record OpeningFields(int typeId, InetAddress address, int port, boolean raw, boolean asksConnected) {
        static OpeningFields of(byte[] packet) throws IOException {
            InetAddress address = null;
            int port = 0;
            boolean raw = false;
            boolean asks = false;
            for (int at = 8; at < headerLength(packet); at += ((packet[at + 2] & 0xFF) << 8 | packet[at + 3] & 0xFF) * 4) {
                int tag = (packet[at] & 0xFF) << 8 | packet[at + 1] & 0xFF;
                if (tag == 2) {
                    address = InetAddress.getByAddress(java.util.Arrays.copyOfRange(packet, at + 8, at + 12));
                } else if (tag == 0xC002) {
                    port = (packet[at + 4] & 0xFF) << 8 | packet[at + 5] & 0xFF;
                    raw = packet[at + 6] == 1;
                } else if (tag == 0xC011) {
                    asks = true;
                }
            }
            return new OpeningFields((packet[2] & 0xFF) << 8 | packet[3] & 0xFF, address, port, raw, asks);
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
