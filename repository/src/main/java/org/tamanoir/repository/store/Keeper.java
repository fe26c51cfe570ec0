package org.tamanoir.repository.store;

import java.io.IOException;
import java.util.Map;

/** What a keeper says of itself. One that has nothing to say says nothing. */
public interface Keeper extends AutoCloseable {
    /** Takes one metric. */
    interface Sink {
        /** @param type {@code gauge} or {@code counter} */
        void metric(String name, String type, String help, long value);
    }

    /** Whether all is as it is to be; the repository is {@code degraded} otherwise. */
    default boolean isWell() {
        return true;
    }

    /** What {@code /health} shows, by the names that it has there. */
    default Map<String, Object> health() {
        return Map.of();
    }

    default void metrics(Sink sink) {
    }

    @Override
    void close() throws IOException;
}
