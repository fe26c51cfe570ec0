package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.lab.LabException;

/** 1,000 connections that begin TLS and say no more: half of them in the middle of the first message, half when the node has answered it. */
final class HalfOpenHandshakes extends Disturbance {
    private static final int CONNECTIONS = 1000;
    private static final int SOURCES = 4;
    /** Those of the phase before may not be forgotten yet. */
    private static final int LIMIT = 4 * CONNECTIONS;

    private long opened;
    private long kept;

    HalfOpenHandshakes(boolean quick) {
        super(quick ? 2 : 5);
    }

    @Override
    int streams() {
        return CONNECTIONS;
    }

    @Override
    Victim victim(Build build) {
        return Victim.byTls(build, LIMIT);
    }

    /** Opens them in half of the time, and holds them in the other. */
    @Override
    void attack(Victim victim, long millis) throws Exception {
        ByteBuffer hello = hello();
        ByteBuffer half = hello.duplicate().limit(hello.remaining() / 2);
        List<SocketChannel> all = new ArrayList<>();
        try {
            long began = System.nanoTime();
            for (int i = 0; i < CONNECTIONS; i++) {
                Pause.until(began + i * millis * 500_000 / CONNECTIONS);
                SocketChannel connection = SocketChannel.open().bind(new InetSocketAddress("127.0.3." + (i % SOURCES + 1), 0));
                all.add(connection);
                connection.connect(victim.node().address());
                connection.write((i % 2 == 0 ? hello : half).duplicate());
            }
            Pause.until(began + millis * 1_000_000);
            opened += CONNECTIONS;
            for (SocketChannel each : all) {
                kept += isKept(each) ? 1 : 0;
            }
        } finally {
            for (SocketChannel each : all) {
                each.close();
            }
        }
    }

    /** The first message of a client, as the JDK makes it. */
    private static ByteBuffer hello() throws GeneralSecurityException, IOException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return hello.flip();
    }

    /** Whether the node has not closed it. */
    private static boolean isKept(SocketChannel connection) {
        try {
            connection.configureBlocking(false);
            ByteBuffer answer = ByteBuffer.allocate(16 * 1024);
            int read = connection.read(answer);
            while (read > 0) {
                read = connection.read(answer.clear());
            }
            return read == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    void judge(Found found) {
        if (kept < 0.9 * opened) {
            throw new LabException("of " + opened + " half-open handshakes the node has kept " + kept + ": that is no attack");
        }
        found.add("half-open", "1", (double) kept / attacks());
    }
}
