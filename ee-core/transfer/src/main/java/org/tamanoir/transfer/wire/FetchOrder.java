package org.tamanoir.transfer.wire;

import java.util.List;

/**
 * What a mover copies from another one, or to it, and how; for {@link Message.Fetch}. No field is null.
 *
 * @param sources places, all of the same movers, as {@code tam://HOST:PORT[,HOST:PORT…]/PATH}
 * @param destination a place
 * @param push whether the sources are at the mover that makes the copy; otherwise the destination is, and other movers of it write a part of what comes
 * @param via nodes that its streams may begin at, as {@code [tls://]HOST:PORT}; empty to go straight
 * @param token what the movers of the other end are shown; empty for nothing
 * @param ownToken what the other movers of this end are shown; empty for nothing
 * @param streams at most
 * @param extent octets of an extent
 * @param rate octets a second at most; 0 for no limit
 * @param patienceMillis how long nothing may move
 */
public record FetchOrder(List<String> sources, String destination, boolean push, List<String> via, List<String> services, String token, String ownToken, int streams, int extent,
        List<String> include, List<String> exclude, boolean update, boolean sha256, long rate, long patienceMillis) {
}
