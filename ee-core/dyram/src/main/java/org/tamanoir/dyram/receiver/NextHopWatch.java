package org.tamanoir.dyram.receiver;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** When the next place on the way to the source has said something, whatever it was: whether it or something beyond it is silent. */
final class NextHopWatch {
    /** It answers every report, four times a second. */
    private static final long SILENT = 1_500_000_000;

    private boolean node;
    private long heard;

    /** @param isNode whether the node of this site has said it */
    void heard(long now, boolean isNode) {
        node |= isNode;
        heard = now;
    }

    /** Whether the node of this site has ever said anything. */
    boolean nodeAnswers() {
        return node;
    }

    /** The error of a source of which nothing was heard for too long; it names who is silent. @param from the next place on the way to it */
    AnepException lost(long now, Duration patience, InetSocketAddress from) {
        String place = from.getAddress().getHostAddress() + " port " + from.getPort();
        String who = !node ? ", which was heard from " + place
                : now - heard <= SILENT ? "; node " + place + " answers: the silence is beyond it"
                : "; node " + place + String.format(Locale.ROOT, " has been silent for %.1f s", (now - heard) / 1e9);
        return new AnepException(ErrorCode.SOURCE_LOST, "nothing was heard of the source for " + patience.toMillis() / 1000.0 + " s" + who);
    }
}
