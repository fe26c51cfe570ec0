package org.tamanoir.benchmarks.soak;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** What the two ends of a soak have to say, and how it travels between processes: as JSON, with compressed histograms. */
public final class Books {
    static final ObjectMapper MAPPER = new ObjectMapper().registerModule(new SimpleModule()
            .addSerializer(new StdSerializer<>(Histogram.class) {
                @Override
                public void serialize(Histogram histogram, JsonGenerator to, SerializerProvider unused) throws IOException {
                    ByteBuffer octets = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
                    to.writeBinary(octets.array(), 0, histogram.encodeIntoCompressedByteBuffer(octets));
                }
            })
            .addDeserializer(Histogram.class, new StdDeserializer<>(Histogram.class) {
                @Override
                public Histogram deserialize(JsonParser from, DeserializationContext unused) throws IOException {
                    try {
                        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(from.getBinaryValue()), 0);
                    } catch (DataFormatException e) {
                        throw new IOException("no histogram", e);
                    }
                }
            }));

    private static final long HIGHEST_NANOS = Duration.ofMinutes(2).toNanos();

    private Books() {
    }

    /** A histogram of delays in nanoseconds. */
    public static Histogram delays() {
        return new Histogram(HIGHEST_NANOS, 3);
    }

    /** Enters a delay; one that is longer than the histogram knows as the longest. */
    static void enter(Histogram delays, long nanos) {
        delays.recordValue(Math.max(0, Math.min(nanos, HIGHEST_NANOS)));
    }

    /**
     * The source's books.
     *
     * @param streams every stream that was opened
     * @param late    how long after their time packets left that nothing but the source itself had held up: its own part in what is not exact, in
     *                nanoseconds
     */
    public record Sent(List<SentStream> streams, Histogram late) {
    }

    /**
     * One stream as its source saw it.
     *
     * @param id       in its first packet
     * @param udp      or else TCP
     * @param lasting  whether it was to live through the whole run
     * @param sent     packets that were given to the kernel
     * @param broken   why it did not end as it was to, or null: an error packet, a reset, an end before its time
     */
    public record SentStream(long id, boolean udp, boolean lasting, long sent, String broken) {
    }

    /** The receiver's books: every stream, and how long packets took. */
    public record Received(List<ReceivedStream> streams, List<Part> delays) {
    }

    /**
     * How long packets of both transports took, of those with one mark: sent in one part of the run.
     *
     * @param all     of every packet
     * @param opening of the first packets of streams alone: they wait for connections to be made as well
     */
    public record Part(int mark, Histogram all, Histogram opening) {
    }

    /**
     * One stream as its receiver saw it.
     *
     * @param id         in its packets
     * @param udp        or else TCP
     * @param received   different packets that came intact
     * @param duplicated intact ones that had come before
     * @param outOfOrder different ones that came after one that was sent later
     * @param damaged    packets with other octets than were sent, or on the connection of another stream; what was sent in their place is lost
     *                   too, unless it also came intact
     * @param unserved   intact ones that the service did not see on the first or on the last node
     * @param changes    how often the version on one of the nodes was another than in the packet before
     * @param firstIngress version on the first node in the first packet; 0 if none came
     * @param firstEgress  the same on the last node
     * @param ended      TCP: whether it ended cleanly, after the packet that says it is the last; UDP: whether that packet came
     */
    public record ReceivedStream(long id, boolean udp, long received, long duplicated, long outOfOrder, long damaged, long unserved,
                                 long changes, int firstIngress, int firstEgress, boolean ended) {
    }
}
