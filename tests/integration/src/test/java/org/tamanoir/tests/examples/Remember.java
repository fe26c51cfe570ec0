package org.tamanoir.tests.examples;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Blocks;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Store;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Answers a question that was asked before: a question is the first line of a stream, the answer all that comes back. */
@Component
public final class Remember implements ActiveService {
    private static final int MOST_QUESTION = 80;
    private static final int MOST_QUESTIONS = 10_000;
    private static final int PIECE = 60_000;

    /** The block that has the answer, by destination and question. */
    private final Map<String, String> names = new ConcurrentHashMap<>();
    private final LongAdder answered = new LongAdder();
    private Store store;
    private Blocks blocks;

    @Override
    public void start(ServiceContext service) {
        store = service.store();
        blocks = service.blocks();
        store.all().forEach((question, name) -> names.put(question, new String(name, US_ASCII)));
        service.metrics().counter("answered", "Questions that the destination was not asked.", answered::sum);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        stream.connectLater();
        return new Conversation(stream);
    }

    private void keep(String question, ByteBuf answer) {
        if (names.size() < MOST_QUESTIONS || names.containsKey(question)) {
            blocks.put(answer).thenAccept(name -> {
                names.put(question, name);
                store.put(question, name.getBytes(US_ASCII));
            });
        }
    }

    private final class Conversation implements StreamHandler {
        private final StreamContext stream;
        /** What has come while it is not decided who answers; null from then on. On the heap, and so for the garbage collector. */
        private ByteBuf waiting = Unpooled.buffer();
        private String question;
        /** What comes back, as long as it can be kept; null otherwise. */
        private ByteBuf answer;

        Conversation(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (waiting == null || packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            waiting.writeBytes(packet.payload());
            int end = waiting.indexOf(0, waiting.writerIndex(), (byte) '\n');
            if (question == null && end >= 0 && end <= MOST_QUESTION) {
                question = stream.destination().getAddress().getHostAddress() + ":" + stream.destination().getPort() + " " + waiting.toString(0, end, UTF_8);
                String name = names.get(question);
                if (name == null) {
                    answer = Unpooled.buffer();
                    ask(out);
                } else {
                    blocks.get(name).whenComplete((found, failure) -> answerOrAsk(found));
                }
            } else if (question == null && waiting.readableBytes() > MOST_QUESTION) {
                ask(out);
            }
            return Verdict.TAKEN;
        }

        /** On a thread of the node: the handler's fields are for its tasks. */
        private void answerOrAsk(ByteBuf found) {
            byte[] known = found == null ? null : ByteBufUtil.getBytes(found);
            if (found != null) {
                found.release();
            }
            stream.execute((forward, back) -> {
                if (known == null) {
                    answer = Unpooled.buffer();
                    ask(forward);
                    forward.releaseEnd();
                    return;
                }
                answered.increment();
                for (int at = 0; at < known.length; at += PIECE) {
                    back.emitPayload(Unpooled.wrappedBuffer(known, at, Math.min(PIECE, known.length - at)));
                }
                forward.finish();
                back.finish();
            });
        }

        private void ask(Output out) {
            out.emitPayload(waiting);
            waiting = null;
        }

        @Override
        public void onEnd(Output out) {
            if (waiting != null && question != null) {
                out.holdEnd();                          // the block is being read
            } else if (waiting != null && waiting.isReadable()) {
                ask(out);
            }
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            if (answer != null && answer.readableBytes() + packet.payloadLength() <= Blocks.MOST_BLOCK) {
                answer.writeBytes(packet.payload());
            } else {
                answer = null;
            }
            return Verdict.PASS;
        }

        @Override
        public void onReturnEnd(Output out) {
            if (answer != null && answer.isReadable()) {
                keep(question, answer);                 // not in close: a stream that was cut has half an answer
            }
        }
    }
}
