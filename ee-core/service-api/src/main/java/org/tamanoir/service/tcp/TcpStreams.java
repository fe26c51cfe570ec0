package org.tamanoir.service.tcp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The TCP streams of the node, of all its services, as its kernel sees them; from {@code ServiceContext.tcp()}. Safe for all threads.
 *
 * <pre>{@code
 * service.tcp().follow(Duration.ofSeconds(1), report -> report.ended().forEach(ended -> record(ended.last())));
 * }</pre>
 */
public interface TcpStreams {
    /** The shortest period. */
    Duration SHORTEST = Duration.ofMillis(100);
    /** Streams in a report, and streams that have ended in a report. */
    int MOST_STREAMS = 4096;
    int MOST_ENDED = 1024;

    /**
     * Tells the service from now on what the node sees. That costs no look at a connection: the node looks as often as its operator allows, more often at streams that carry
     * much. A service has one follower: who is named later takes the place of who was named before.
     *
     * @param period from one report to the next, at least {@link #SHORTEST}; longer if the service takes longer
     * @param told   on the thread of the service's own tasks, until the service stops
     * @throws IllegalArgumentException for a shorter period
     */
    void follow(Duration period, Consumer<Report> told);

    /**
     * What is new since the report before.
     *
     * @param streams the last look at each open stream that has been looked at since
     * @param ended   streams that have ended since, each told once
     * @param missed  streams, open ones and ended ones, for which there was no room
     */
    record Report(List<StreamState> streams, List<Ended> ended, long missed) {
        public Report {
            streams = List.copyOf(streams);
            ended = List.copyOf(ended);
        }
    }

    /**
     * A stream at one moment.
     *
     * @param number      the node's number for it
     * @param source      as {@link org.tamanoir.service.StreamContext#source}
     * @param destination the one that it names
     * @param typeIds     of its services
     * @param codePoint   the class that the node sends it on in, 0 to 63
     * @param beganNanos  by {@link org.tamanoir.service.ServiceContext#nanoTime}
     * @param seenNanos   by the same clock, when its connections were looked at; 0 if they never were
     * @param octets      that had come from the source when this was written, which may be a little later
     * @param returned    the same from the side of the destination
     * @param before      the connection that the source sends on, up to half a second older than the other; null if it was never looked at
     * @param after       the connection that the node sends on; null if there was none when it was looked at
     * @param reason      why it is no faster, at most a second older than the rest; null while it has not been looked at twice
     */
    record StreamState(long number, InetSocketAddress source, InetSocketAddress destination, List<Integer> typeIds, int codePoint, long beganNanos, long seenNanos, long octets,
                       long returned, TcpConnection before, TcpConnection after, Reason reason) {
    }

    /**
     * Why a stream is no faster.
     *
     * @param cause    {@code source}, {@code receiver}, {@code path-before}, {@code path-after}, {@code node}, {@code class} or {@code nothing}
     * @param share    of the time in which that held the stream up, 0 to 1
     * @param isSure   false where it may be the source as well as the path from it
     * @param sentence for people
     */
    record Reason(String cause, double share, boolean isSure, String sentence) {
    }

    /**
     * A stream that has ended.
     *
     * @param last       its totals, with the last look at its connections
     * @param endedNanos by {@link org.tamanoir.service.ServiceContext#nanoTime}
     * @param failure    why it was cut; null for a good end
     */
    record Ended(StreamState last, long endedNanos, String failure) {
    }
}
