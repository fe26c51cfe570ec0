package org.tamanoir.transfer.daemon;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.tamanoir.client.BearerToken;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.transfer.copy.Place;
import org.tamanoir.transfer.queue.Limits;
import org.tamanoir.transfer.queue.RetryPolicy;

/**
 * How a queue of transfers runs.
 *
 * @param data its directory; null if there is a database
 * @param database {@code jdbc:postgresql://…}, in which it is kept; null for a file in the directory
 * @param password of the database; null for none
 * @param mostOpen transfers that are not over
 * @param tokens what a mover is shown, asked before each attempt; null for nothing
 * @param via nodes by which movers are asked; empty to ask them straight
 * @param bearer what nodes are shown; null for nothing
 * @param tls how nodes are reached by TLS; null for not at all
 * @param patience how long nothing of an attempt may move
 * @param records where a line of JSON for each transfer that is over is written; null for nowhere
 */
public record DaemonOptions(Path data, String database, String password, Limits limits, RetryPolicy retries, int mostOpen, Function<Place, String> tokens, List<NodeAddress> via, BearerToken bearer,
        NodeTls tls, Duration patience, Path records) {
    public static final int MOST_OPEN = 10_000;
}
