package org.tamanoir.tests.services;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * A service that answers some questions itself: to {@code known} it says what it knows, to {@code known.} as well and ends both directions, to {@code many N} it
 * says N numbered payloads as fast as they are taken, to {@code late} it answers when the source has ended, {@code no} it refuses. The rest is for the destination.
 */
public final class Answering implements ActiveService {
    /** What it knows. */
    public static final String KNOWN = "it is so";
    /** Octets of a payload of many. */
    public static final int PIECE = 32_768;
    private static final String MANY = "many ";

    private final LongAdder here = new LongAdder();
    private final LongAdder onward = new LongAdder();

    @Override
    public void start(ServiceContext service) {
        service.metrics().counter("questions", "Questions asked.", Map.of("answered", "here"), here::sum);
        service.metrics().counter("questions", "Questions asked.", Map.of("answered", "there"), onward::sum);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        stream.connectLater();
        return new Handler(this, stream);
    }

    private static final class Handler implements StreamHandler {
        private final Answering all;
        private final StreamContext stream;
        private long said;
        private long wanted;
        private boolean late;

        Handler(Answering all, StreamContext stream) {
            this.all = all;
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            String question = packet.payload().toString(StandardCharsets.UTF_8);
            if (question.equals("no")) {
                throw new AnepException(ErrorCode.SERVICE_REFUSED, "no such thing");
            }
            boolean isMine = question.startsWith("known") || question.startsWith(MANY) || question.equals("late");
            if (packet.payloadLength() > 0) {
                (isMine ? all.here : all.onward).increment();
            }
            if (!isMine) {
                return Verdict.PASS;
            }
            late = question.equals("late");
            if (question.startsWith(MANY)) {
                wanted = Long.parseLong(question.substring(MANY.length()));
                stream.execute((forward, back) -> sayMore(back));
            } else if (!late) {
                boolean last = question.endsWith(".");
                stream.execute((forward, back) -> say(back, last));
                if (last) {
                    out.finish();
                }
            }
            return Verdict.TAKEN;
        }

        private static void say(Output back, boolean last) {
            back.emitPayload(Unpooled.copiedBuffer(KNOWN, StandardCharsets.UTF_8));
            if (last) {
                back.finish();
            }
        }

        private void sayMore(Output back) {
            boolean room = true;
            while (room && said < wanted) {
                room = back.emitPayload(Unpooled.wrappedBuffer(ByteBuffer.allocate(PIECE).putLong(0, said++)));
            }
            if (said == wanted) {
                back.finish();
            }
        }

        @Override
        public void onReturnWritable(Output back) {
            sayMore(back);
        }

        @Override
        public void onEnd(Output out) {
            if (late) {
                out.holdEnd();
                stream.execute((forward, back) -> {
                    say(back, false);
                    forward.releaseEnd();
                });
            }
        }
    }
}
