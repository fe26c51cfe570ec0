package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;

/**
 * A service that is a relay of its own: the first payload of a stream, {@code server HOST PORT} or {@code node HOST PORT}, says where a connection is to go, which
 * gets what follows and whose octets go back. As a sink it gives back what comes.
 */
public final class Reaching implements FlowSink {
    private ServiceContext service;

    @Override
    public void start(ServiceContext context) {
        service = context;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (!stream.position().isFirst()) {
            return new Passing();
        }
        stream.connectLater();
        return new Relay(stream);
    }

    /** At a node behind. */
    private static final class Passing implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return Verdict.PASS;
        }
    }

    private final class Relay implements StreamHandler, ConnectionHandler {
        private final StreamContext stream;
        private Connection connection;

        Relay(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            if (connection == null) {
                String[] words = packet.payload().toString(StandardCharsets.UTF_8).split(" ");
                int port = Integer.parseInt(words[2]);
                connection = service.connections().open(words[0].equals("node") ? Remote.node(words[1], port) : Remote.server(words[1], port), this);
            } else if (!connection.write(packet.payload().retain())) {
                stream.pauseSource(true);
            }
            return Verdict.TAKEN;
        }

        @Override
        public void onEnd(Output out) {
            out.holdEnd();
            connection.finish();
        }

        @Override
        public void onReturnWritable(Output back) {
            connection.pause(false);
        }

        @Override
        public void close() {
            if (connection != null) {
                connection.abort();
            }
        }

        private void onStream(Task task) {
            if (!stream.execute(task)) {
                task.discarded();
                connection.abort();
            }
        }

        @Override
        public void onOctets(Connection from, ByteBuf octets) {
            onStream(new Return(from, octets.retain()));
        }

        @Override
        public void onWritable(Connection to) {
            stream.pauseSource(false);
        }

        @Override
        public void onClosed(Connection ended, AnepException why) {
            onStream((forward, back) -> {
                if (why != null) {
                    throw why;
                }
                back.finish();
                forward.releaseEnd();
            });
        }
    }

    private record Return(Connection from, ByteBuf octets) implements Task {
        @Override
        public void run(Output forward, Output back) {
            if (!back.emitPayload(octets)) {
                from.pause(true);
            }
        }

        @Override
        public void discarded() {
            octets.release();
        }
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return new Sink(stream);
    }

    private record Sink(StreamContext stream) implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() > 0) {
                ByteBuf octets = packet.payload().copy();
                stream.execute((forward, back) -> back.emitPayload(octets));
            }
            return Verdict.TAKEN;
        }
    }
}
