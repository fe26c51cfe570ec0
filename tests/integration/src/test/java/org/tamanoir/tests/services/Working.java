package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers.Program;

/** A service that gives each stream a program of its own, and the source what it says: the first payload is the script of a shell, what follows its input. */
public final class Working implements ActiveService {
    private ServiceContext service;

    @Override
    public void start(ServiceContext context) {
        service = context;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        stream.connectLater();
        return new Talk(stream);
    }

    private final class Talk implements StreamHandler, WorkerHandler {
        private final StreamContext stream;
        private Worker worker;

        Talk(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            if (worker == null) {
                worker = service.workers().start(new Program("sh", List.of("-c", packet.payload().toString(StandardCharsets.UTF_8))), this);
            } else if (!worker.write(packet.payload().copy())) {
                stream.pauseSource(true);
            }
            return Verdict.TAKEN;
        }

        @Override
        public void onEnd(Output out) {
            out.holdEnd();
            worker.finish();
        }

        @Override
        public void onReturnWritable(Output back) {
            worker.pause(false);
        }

        @Override
        public void close() {
            if (worker != null) {
                worker.abort();
            }
        }

        @Override
        public void onOctets(Worker from, ByteBuf octets) {
            Task said = new Said(from, octets.retain());
            if (!stream.execute(said)) {
                said.discarded();
            }
        }

        @Override
        public void onWritable(Worker to) {
            stream.pauseSource(false);
        }

        @Override
        public void onClosed(Worker ended, AnepException why) {
            stream.execute((forward, back) -> {
                if (why != null) {
                    throw why;
                }
                back.finish();
                forward.releaseEnd();
            });
        }
    }

    private record Said(Worker from, ByteBuf octets) implements Task {
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
}
