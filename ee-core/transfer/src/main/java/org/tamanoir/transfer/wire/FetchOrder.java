package org.tamanoir.transfer.wire;

import java.util.List;

/**
 * What a mover fetches from another one, and how; for {@link Message.Fetch}. No field is null.
 *
 * @param sources places, all of the same movers, as {@code tam://HOST:PORT[,HOST:PORT…]/PATH}
 * @param movers other movers of the destination, as {@code HOST:PORT}, which have the same files as the one that fetches, and write a part of what comes
 * @param moversToken what these are shown; empty for nothing
 * @param path of the destination, relative to the root of the mover that fetches
 * @param directory whether files come into it with names of their own, even if it is not there yet
 * @param via nodes that its streams may begin at, as {@code [tls://]HOST:PORT}; empty to go straight
 * @param token what the mover of the sources is shown; empty for nothing
 * @param streams at most
 * @param extent octets of an extent
 * @param rate octets a second at most; 0 for no limit
 * @param patienceMillis how long nothing may move
 */
public record FetchOrder(List<String> sources, List<String> movers, String moversToken, String path, boolean directory, List<String> via, List<String> services, String token, int streams, int extent,
        List<String> include, List<String> exclude, boolean update, boolean sha256, long rate, long patienceMillis) {
}
