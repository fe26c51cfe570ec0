package org.tamanoir.transfer.queue;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;

/**
 * What somebody wants copied.
 *
 * @param sources places, all of one mover, as {@code tam://HOST:PORT/PATH}
 * @param destination a place at a mover
 * @param via nodes that its streams may begin at, as {@code [tls://]HOST:PORT}; empty to go straight
 * @param streams at most
 * @param extent octets of an extent
 * @param priority each step is worth an hour in the queue; from -{@link #MOST_PRIORITY} to {@link #MOST_PRIORITY}
 * @param by when it must be there; 0 for no such time
 * @param rate octets a second that it needs at least; 0 if it needs none
 * @param steady whether it goes at that rate, and not faster
 */
public record TransferRequest(List<String> sources, String destination, List<String> via, List<String> services, int streams, int extent, List<String> include,
        List<String> exclude, boolean update, boolean sha256, int priority, long by, long rate, boolean steady) {
    public static final int MOST_PRIORITY = 12;

    public TransferRequest {
        sources = sources == null ? List.of() : List.copyOf(sources);
        via = via == null ? List.of() : List.copyOf(via);
        services = services == null || services.isEmpty() ? List.of("forward") : List.copyOf(services);
        include = include == null ? List.of() : List.copyOf(include);
        exclude = exclude == null ? List.of() : List.copyOf(exclude);
    }

    /** Whether it says when, or how fast. */
    @JsonIgnore
    public boolean isTimed() {
        return by > 0 || rate > 0;
    }
}
