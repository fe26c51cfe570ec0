package org.tamanoir.node.trace;

import java.io.IOException;
import java.util.List;

/** Takes spans to a collector. One thread at a time. */
public interface SpanSink extends AutoCloseable {
    /**
     * Sends spans and waits until the collector has taken them, for a bounded time.
     *
     * @throws IOException if it has not: none of them is to be sent again
     */
    void send(List<FinishedSpan> spans) throws IOException;

    @Override
    void close();
}
