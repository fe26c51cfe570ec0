package org.tamanoir.benchmarks.content;

import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;

/** The parts of {@code bench content}, one a service. */
public final class ContentParts {
    public static final Parts<ContentPlan> ALL = Parts.onLoopback(List.of(new Part<>("election", Elections::run), new Part<>("interest", Interests::run), new Part<>("collect", Collectives::run),
            new Part<>("transcode", Transcoding::run)));

    private ContentParts() {
    }
}
