package org.tamanoir.paths.why;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.paths.why.PathReason.Cause;
import org.tamanoir.paths.wire.StreamLine;

/** What many streams say together. */
class PathReasonTest {
    private static StreamLine line(String theodolite, long stream, long time, long megabytes, double seconds, String cause, double share) {
        return new StreamLine(theodolite, 1, time, time, stream, "192.0.2.7", "198.51.100.9", "be", false, megabytes * 1_000_000, megabytes * 1_000_000, seconds, 1, cause, share, true, cause + " of " + stream);
    }

    /** Wrong: the cause by octets alone, in which the slowest streams hardly count. */
    @Test
    void theCauseIsWhatTookTheMostTime() {
        PathReason reason = PathReason.of(List.of(line("a", 2, 4, 20, 60, "receiver", 0.9), line("a", 1, 3, 2000, 10, "nothing", 1), line("a", 2, 2, 10, 60, "receiver", 0.8),
                line("a", 3, 1, 10, 20, "path-after", 0.5)), 10);
        assertThat(reason.streams()).isEqualTo(3);
        assertThat(reason.octets()).isEqualTo(2_040_000_000);
        assertThat(reason.causes()).containsExactly(new Cause("receiver", 102.0 / 150, 1.0 / 3, 30.0 / 2040), new Cause("nothing", 10.0 / 150, 1.0 / 3, 2000.0 / 2040),
                new Cause("path-after", 10.0 / 150, 1.0 / 3, 10.0 / 2040));
        assertThat(reason.worst().time()).as("the slowest of those with that cause").isEqualTo(2);
        assertThat(reason.newest()).extracting(StreamLine::time).as("each stream once").containsExactly(4L, 3L, 1L);
        assertThat(PathReason.of(reason.newest(), 1).newest()).hasSize(1);
    }

    @Test
    void eachTheodoliteHasItsView() {
        PathReason reason = PathReason.of(List.of(line("a", 7, 2, 100, 60, "path-after", 0.9), line("b", 7, 1, 100, 60, "path-before", 0.6)), 10);
        assertThat(reason.streams()).as("numbers are a node's own").isEqualTo(2);
        assertThat(reason.views().get("a").causes()).containsExactly(new Cause("path-after", 0.9, 1, 1));
        assertThat(reason.views().get("b").causes()).containsExactly(new Cause("path-before", 0.6, 1, 1));
    }

    @Test
    void withoutStreamsNothingIsSaid() {
        assertThat(PathReason.of(List.of(), 10)).isEqualTo(new PathReason(0, 0, List.of(), null, List.of(), java.util.Map.of()));
    }
}
