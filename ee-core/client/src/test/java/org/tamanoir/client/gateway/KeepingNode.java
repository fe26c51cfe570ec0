package org.tamanoir.client.gateway;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.tamanoir.client.PlainNode;

/** A node that carries one stream after another on a connection, raw to one server. Octets by hand; nothing of what is tested. */
final class KeepingNode implements Closeable {
    static final byte[] ACCEPT = HexFormat.of().parseHex("0180540000040010" + "800a000201000000");
    static final byte[] END = HexFormat.of().parseHex("0180540000040010" + "800a000202000000");
    static final byte[] READY = HexFormat.of().parseHex("0180540000040010" + "800a000203000000");
    private static final String OFFER = "800a0004000000000000000000000000";

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger streams = new AtomicInteger();
    final AtomicInteger offers = new AtomicInteger();
    /** Connections that ended cleanly when no stream was on them. */
    final AtomicInteger ended = new AtomicInteger();
    private final PlainNode node;
    private final InetSocketAddress server;

    /** What the node does when a further stream begins on a connection. */
    enum Further { SERVE, GIVE_UP, RESET }

    volatile Further further = Further.SERVE;
    /** Octets of the further stream that are read, and thrown away, before the connection is given up. */
    volatile int readBefore;
    volatile boolean saysReady = true;

    KeepingNode(InetSocketAddress server) throws IOException {
        this.server = server;
        this.node = new PlainNode(this::serve);
    }

    InetSocketAddress address() {
        return node.address();
    }

    private void serve(Socket connection) throws Exception {
        connections.incrementAndGet();
        connection.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(connection.getInputStream());
        boolean kept = true;
        for (int stream = 0; kept; stream++) {
            byte[] opening = PlainNode.readPacket(in);
            if (opening == null) {
                ended.incrementAndGet();
                return;
            }
            if (stream > 0 && further != Further.SERVE) {
                in.readNBytes(readBefore);
                giveUp(connection, in);
                return;
            }
            streams.incrementAndGet();
            boolean offered = HexFormat.of().formatHex(opening).contains(OFFER);
            offers.addAndGet(offered ? 1 : 0);
            kept = stream(connection, in, offered, stream == 0);
        }
        in.transferTo(OutputStream.nullOutputStream());
    }

    private void giveUp(Socket connection, DataInputStream in) throws IOException {
        if (further == Further.RESET) {
            connection.setSoLinger(true, 0);
        } else {
            connection.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** Returns whether the connection is idle after it, and not at its end. */
    private boolean stream(Socket connection, DataInputStream in, boolean offered, boolean first) throws Exception {
        try (Socket toServer = new Socket(server.getAddress(), server.getPort())) {
            toServer.setTcpNoDelay(true);
            OutputStream back = connection.getOutputStream();
            CountDownLatch done = new CountDownLatch(1);
            PlainNode.start("keeping-node-back", () -> {
                byte[] buffer = new byte[30_000];
                boolean accept = first && offered;
                for (int n = toServer.getInputStream().read(buffer); n >= 0; n = toServer.getInputStream().read(buffer)) {
                    if (accept) {
                        back.write(ACCEPT);
                        accept = false;
                    }
                    back.write(PlainNode.bare(0x5402, buffer, n));
                }
                if (accept) {
                    back.write(ACCEPT);
                }
                if (offered) {
                    back.write(END);
                } else {
                    connection.shutdownOutput();
                }
                done.countDown();
            });
            byte[] packet = PlainNode.readPacket(in);
            while (packet != null && !isEnd(packet)) {
                toServer.getOutputStream().write(packet, 8, packet.length - 8);
                packet = PlainNode.readPacket(in);
            }
            toServer.shutdownOutput();
            done.await();
            if (packet != null && saysReady) {
                back.write(READY);
            }
            if (packet == null && offered) {
                connection.shutdownOutput();
            }
            return packet != null;
        }
    }

    private static boolean isEnd(byte[] packet) {
        return Arrays.equals(packet, END);
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
