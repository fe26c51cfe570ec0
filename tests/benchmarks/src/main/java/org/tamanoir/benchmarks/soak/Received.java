package org.tamanoir.benchmarks.soak;

import java.util.List;

/** The receiver's books: every stream, and how long packets took. */
public record Received(List<ReceivedStream> streams, List<Delays.Part> delays) {
}
