package org.tamanoir.transfer.copy;

import java.time.Duration;
import java.util.List;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.transfer.Extent;

/**
 * How a copy is made.
 *
 * @param via nodes that its streams may begin at; empty to go to movers straight
 * @param services that the nodes apply
 * @param token what movers are shown; null for nothing
 * @param streams at most, at a time; 1 to {@link #MOST_STREAMS}
 * @param piece octets of an extent
 * @param include patterns (glob) of paths, one of which a file matches to be copied; empty for all files
 * @param exclude patterns of paths, none of which a file matches that is copied
 * @param update whether files are left alone that are newer at the destination
 * @param sha256 whether source and copy of each file are read again and compared
 * @param rate octets a second at most; 0 for no limit
 * @param patience how long nothing may move before it ends
 */
public record CopyOptions(List<NodeAddress> via, List<String> services, String token, int streams, int piece, List<String> include, List<String> exclude, boolean update,
        boolean sha256, long rate, Duration patience) {
    public static final int STREAMS = 8;
    /** More take from others and gain nothing. */
    public static final int MOST_STREAMS = 64;
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Straight to movers, and as it is best in general. */
    public static final CopyOptions PRESET = new CopyOptions(List.of(), List.of("forward"), null, STREAMS, Extent.PRESET, List.of(), List.of(), false, false, 0, PATIENCE);

    public CopyOptions {
        if (streams < 1 || streams > MOST_STREAMS || piece < Extent.SMALLEST || piece > Extent.LARGEST || patience.isZero() || patience.isNegative()) {
            throw new IllegalArgumentException(streams + " streams, extents of " + piece + " octets, a patience of " + patience);
        }
    }

    public CopyOptions by(List<NodeAddress> via, List<String> services) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    public CopyOptions token(String token) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    /** @throws IllegalArgumentException if there cannot be so many streams, or extents of so many octets */
    public CopyOptions streams(int streams, int piece) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    public CopyOptions files(List<String> include, List<String> exclude, boolean update) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    public CopyOptions sha256(boolean sha256) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    public CopyOptions rate(long rate) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }

    /** @throws IllegalArgumentException if it is none */
    public CopyOptions patience(Duration patience) {
        return new CopyOptions(via, services, token, streams, piece, include, exclude, update, sha256, rate, patience);
    }
}
