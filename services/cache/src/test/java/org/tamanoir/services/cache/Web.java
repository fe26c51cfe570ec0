package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Position;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.RecordedBlocks;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;

/** A cache between programs and an origin, on a clock that the test moves. */
final class Web implements AutoCloseable {
    static final long START = 1_700_000_000_000L;
    private static final int READ = 50_000;

    /** What a program was answered. */
    record Answer(Head head, byte[] content) {
        int status() {
            return head.status();
        }

        String cacheStatus() {
            return head.value("cache-status");
        }
    }

    final Origin origin = new Origin();
    final List<Program> programs = new ArrayList<>();
    long millis = START;
    private final WatchedCache cache = new WatchedCache(() -> millis);
    ServiceHarness harness;

    Web(Map<String, ?> options) throws Exception {
        this(options, new RecordedStore(), new RecordedBlocks());
    }

    Web(Map<String, ?> options, RecordedStore store, RecordedBlocks blocks) throws Exception {
        harness = ServiceHarness.of(cache, options).store(store).blocks(blocks).start();
    }

    Program program() throws Exception {
        Program program = new Program(harness.open(Position.ONLY));
        programs.add(program);
        return program;
    }

    /** Asks on a connection of its own, and hears the answer. */
    Answer get(String path, String... fields) throws Exception {
        return ask("GET", path, fields);
    }

    Answer ask(String method, String path, String... fields) throws Exception {
        Program program = program();
        program.ask(method, path, fields);
        settle();
        Answer answer = program.answer();
        program.close();
        return answer;
    }

    double requests(String result) {
        return harness.metrics().value("requests", Map.of("result", result));
    }

    double notKept(String reason) {
        return harness.metrics().value("not_kept", Map.of("reason", reason));
    }

    /** Until nobody has anything to do. */
    void settle() throws Exception {
        boolean busy = true;
        while (busy) {
            busy = goesOn();
            if (!busy) {
                // What was too much for the disk is tried again.
                harness.advance(Duration.ofMillis(50));
                busy = goesOn();
            }
        }
    }

    private boolean goesOn() throws Exception {
        boolean busy = false;
        for (Program program : List.copyOf(programs)) {
            busy |= program.tasks();
            busy |= program.fromOrigin(READ);
        }
        return busy;
    }

    @Override
    public void close() {
        programs.forEach(Program::close);
        harness.close();
    }

    /** A program, its stream, and the connection of the node to the origin. */
    final class Program {
        final StreamHarness stream;
        final Origin.Connection connection = origin.connect();
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private String method = "GET";
        boolean reads = true;
        int[] range;
        boolean cut;
        private boolean closed;

        Program(StreamHarness stream) {
            this.stream = stream;
        }

        void ask(String how, String path, String... fields) throws Exception {
            method = how;
            StringBuilder text = new StringBuilder(how + " " + path + " HTTP/1.1\r\nHost: data.example.org\r\n");
            for (String field : fields) {
                text.append(field).append("\r\n");
            }
            send(text.append("\r\n").toString().getBytes(ISO_8859_1));
        }

        void send(byte[] octets) throws Exception {
            toOrigin(stream.toDestination(octets).onward());
        }

        /** What its tasks have done; whether anything. */
        boolean tasks() throws Exception {
            return tasks(Duration.ZERO);
        }

        /** The same while time passes for all. */
        boolean tasks(Duration time) throws Exception {
            if (closed) {
                return false;
            }
            stream.writable(reads);
            Emitted emitted = stream.advance(time);
            toOrigin(emitted.toDestination());
            toProgram(emitted.toSource());
            if (cache.cut.contains(stream.context().id())) {
                cut();
                return true;
            }
            return !emitted.toDestination().isEmpty() || !emitted.toSource().isEmpty();
        }

        /** Some octets of the origin come; whether any. */
        boolean fromOrigin(int most) throws Exception {
            if (closed || stream.isDestinationPaused()) {
                return false;
            }
            try {
                byte[] octets = connection.next(most);
                if (octets.length > 0) {
                    toProgram(stream.toSource(octets));
                    return true;
                }
                if (connection.hasEnded() && !connection.toldEnd) {
                    connection.toldEnd = true;
                    toProgram(stream.returnEnd().onward());
                    return true;
                }
            } catch (AnepException e) {
                cut();
                return true;
            }
            return false;
        }

        /** It takes octets again. */
        void reads() throws Exception {
            reads = true;
            toProgram(stream.returnRoom().onward());
        }

        private void cut() {
            cut = true;
            close();
        }

        private void toOrigin(List<Packet> packets) throws NotUnderstoodException {
            for (Packet packet : packets) {
                connection.receive(ByteBufUtil.getBytes(packet.payload()));
            }
        }

        private void toProgram(Outcome outcome) {
            if (outcome.verdict() != Verdict.DROP) {
                toProgram(outcome.onward());
            }
        }

        private void toProgram(List<Packet> packets) {
            packets.forEach(packet -> received.writeBytes(ByteBufUtil.getBytes(packet.payload())));
        }

        byte[] received() {
            return received.toByteArray();
        }

        /** The next answer that is complete; null if it is not. */
        Answer answer() throws NotUnderstoodException {
            var in = Unpooled.wrappedBuffer(received());
            Head head = new HeadReader(true).read(in);
            if (head == null) {
                return null;
            }
            Body body = Body.of(head, method);
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            body.take(in, (from, index, length) -> content.writeBytes(ByteBufUtil.getBytes(from, index, length)));
            byte[] rest = ByteBufUtil.getBytes(in);
            if (!body.isDone() && !body.isUntilEnd()) {
                return null;
            }
            received.reset();
            received.writeBytes(rest);
            return new Answer(head, content.toByteArray());
        }

        void close() {
            if (!closed) {
                closed = true;
                stream.close();
            }
        }

        boolean isClosed() {
            return closed;
        }
    }

    static byte[] content(int length, long seed) {
        byte[] content = new byte[length];
        new java.util.Random(seed).nextBytes(content);
        return content;
    }

    static Map<String, Object> options(Object... pairs) {
        Map<String, Object> options = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            options.put((String) pairs[i], pairs[i + 1]);
        }
        return options;
    }
}
