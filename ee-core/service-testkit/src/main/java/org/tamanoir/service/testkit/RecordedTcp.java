package org.tamanoir.service.testkit;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams;

/**
 * The TCP streams of a node that the test makes up. A service that follows is told when the test lets time pass, in each period, of what the test has shown since.
 *
 * <pre>{@code
 * harness.tcp().show(new StreamState(1, source, destination, List.of(0x5401), 0, began, now, 1_000_000, 0, before, RecordedTcp.connection(peer, Map.of("rtt", 20_000L)), reason));
 * harness.advance(Duration.ofSeconds(1));
 * }</pre>
 */
public final class RecordedTcp implements TcpStreams {
    private final VirtualTime time;
    private final Map<Long, StreamState> seen = new LinkedHashMap<>();
    private final List<Ended> ended = new ArrayList<>();
    private long missed;
    private Consumer<Report> told;
    private Duration period;
    private long due;

    RecordedTcp(VirtualTime time) {
        this.time = time;
    }

    @Override
    public void follow(Duration newPeriod, Consumer<Report> follower) {
        if (newPeriod.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("a period of " + newPeriod);
        }
        due = told == null ? time.nanos() + newPeriod.toNanos() : due;
        period = newPeriod;
        told = follower;
    }

    /** The node has looked at a stream; of each stream the last look counts. */
    public void show(StreamState look) {
        if (seen.size() < MOST_STREAMS || seen.containsKey(look.number())) {
            seen.put(look.number(), look);
        } else {
            missed++;
        }
    }

    /** A stream has ended. */
    public void end(Ended stream) {
        seen.remove(stream.last().number());
        if (ended.size() < MOST_ENDED) {
            ended.add(stream);
        } else {
            missed++;
        }
    }

    /** A connection with some fields of {@code tcp_info}, by the kernel's names without {@code tcpi_}. */
    public static TcpConnection connection(InetSocketAddress peer, Map<String, Long> fields) {
        return new Fields(peer, Map.copyOf(fields));
    }

    private record Fields(InetSocketAddress peer, Map<String, Long> fields) implements TcpConnection {
        @Override
        public long field(String name) {
            return fields.getOrDefault(name, -1L);
        }
    }

    /** How often the service is told; null if it does not follow. */
    public Duration period() {
        return period;
    }

    long untilDue(long now) {
        return told == null ? Long.MAX_VALUE : due - now;
    }

    void tell() {
        due = time.nanos() + period.toNanos();
        Report report = new Report(List.copyOf(seen.values()), ended, missed);
        seen.clear();
        ended.clear();
        missed = 0;
        told.accept(report);
    }

    /** The service is stopped: it is told nothing any more. */
    void close() {
        told = null;
    }
}
