package org.tamanoir.benchmarks.soak;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The source's books.
 *
 * @param streams every stream that was opened
 * @param late    how long after their time packets left that nothing but the source itself had held up: its own part in what is not exact
 */
public record Sent(List<SentStream> streams, byte[] late) {
    /** Nanoseconds. */
    public Histogram lateness() {
        return Delays.decode(late);
    }
}
