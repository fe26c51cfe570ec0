package org.tamanoir.tests.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Store;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Counts votes, a packet each, and says the count to the source when it is safe on the disk. */
@Component
public final class Tally implements ActiveService, Inspected {
    private static final int MOST_NAMES = 1_000;
    private static final int MOST_OCTETS = 30;

    private final Map<String, Long> votes = new ConcurrentHashMap<>();
    private Store store;

    @Override
    public void start(ServiceContext service) {
        store = service.store();
        store.all().forEach((name, count) -> votes.put(name, ByteBuffer.wrap(count).getLong()));
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> {
            if (packet.payloadLength() > MOST_OCTETS) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a name has at most " + MOST_OCTETS + " octets");
            }
            if (packet.payloadLength() > 0) {
                count(packet.payload().toString(UTF_8), stream);
            }
            return Verdict.PASS;
        };
    }

    /** Streams run on several threads, and the counts of a name have to come to the store in order. */
    private synchronized void count(String name, StreamContext stream) {
        if (votes.size() == MOST_NAMES && !votes.containsKey(name)) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "there are " + MOST_NAMES + " names already");
        }
        long count = votes.merge(name, 1L, Long::sum);
        store.put(name, ByteBuffer.allocate(Long.BYTES).putLong(count).array()).whenComplete((done, failure) -> {
            String answer = failure == null ? name + " " + count : name + " may be lost: " + failure.getMessage();
            stream.execute((forward, back) -> back.emitPayload(Unpooled.copiedBuffer(answer, UTF_8)));
        });
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals("votes")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "tally knows of votes alone");
        }
        return Map.copyOf(votes);
    }
}
