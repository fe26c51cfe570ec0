package org.tamanoir.services.transcode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers.Program;

/**
 * A stream that goes through a program of its own, every octet of it: a file. Source, program and destination wait for each other. If the program fails the stream ends
 * with its error, since what another one made of the rest would be another file.
 */
final class WorkerStream implements StreamHandler, WorkerHandler {
    /** Octets that wait for the stream to take them, from which the program has to wait. */
    private static final int MOST_WAITING = 512 * 1024;

    private final ServiceContext service;
    private final StreamContext stream;
    private final Program program;
    private final boolean passesWithout;
    private Worker worker;
    private boolean passes;
    private int waiting;
    private boolean full;

    /** @param passesWithout whether the stream goes on as it is if the program cannot be started */
    WorkerStream(ServiceContext service, StreamContext stream, Program program, boolean passesWithout) {
        this.service = service;
        this.stream = stream;
        this.program = program;
        this.passesWithout = passesWithout;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        if (passes || packet.payloadLength() == 0) {
            return Verdict.PASS;
        }
        if (worker == null && !starts()) {
            passes = true;
            return Verdict.PASS;
        }
        if (!worker.write(Unpooled.copiedBuffer(packet.payload()))) {
            stream.pauseSource(true);
        }
        return Verdict.TAKEN;
    }

    private boolean starts() {
        try {
            worker = service.workers().start(program, this);
            return true;
        } catch (AnepException e) {
            if (!passesWithout) {
                throw e;
            }
            service.logger().warn("a stream goes on without {}: {}", program.name(), e.getMessage());
            return false;
        }
    }

    @Override
    public void onEnd(Output out) {
        if (worker != null) {
            out.holdEnd();
            worker.finish();
        }
    }

    @Override
    public void onWritable(Output out) {
        settle(0, false);
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.abort();
        }
    }

    /** Whether the program has to wait follows from what waits and whether there was room. */
    private synchronized void settle(int change, boolean noRoom) {
        waiting += change;
        full = noRoom;
        if (worker != null) {
            worker.pause(full || waiting >= MOST_WAITING);
        }
    }

    private synchronized void waits(int octets) {
        settle(octets, full);
    }

    // What the program says.

    @Override
    public void onWritable(Worker to) {
        stream.execute((forward, back) -> stream.pauseSource(false));
    }

    @Override
    public void onOctets(Worker from, ByteBuf octets) {
        Made made = new Made(octets.retainedSlice(), octets.readableBytes());
        waits(made.length());
        if (!stream.execute(made)) {
            made.discarded();
            from.abort();
        }
    }

    @Override
    public void onClosed(Worker closed, AnepException why) {
        stream.execute((forward, back) -> {
            if (why != null) {
                throw why;
            }
            forward.releaseEnd();
            forward.finish();
        });
    }

    private final class Made implements Task {
        private final ByteBuf octets;
        private final int length;

        Made(ByteBuf octets, int length) {
            this.octets = octets;
            this.length = length;
        }

        int length() {
            return length;
        }

        @Override
        public void run(Output forward, Output back) {
            boolean room = true;
            try {
                while (octets.isReadable()) {
                    room = forward.emitPayload(octets.readRetainedSlice(Math.min(TransportStream.MOST_RUN, octets.readableBytes())));
                }
            } finally {
                octets.release();
            }
            settle(-length, !room);
        }

        @Override
        public void discarded() {
            octets.release();
            waits(-length);
        }
    }
}
