package org.tamanoir.transfer.wire;

import java.util.List;

/**
 * From which mover, and how, extents are pulled; for {@link Message.Attach}. No field is null.
 *
 * @param mover its address, as {@code HOST:PORT}
 * @param via nodes that the stream may begin at, as {@code [tls://]HOST:PORT}; empty to go straight
 * @param token what it is shown; empty for nothing
 */
public record PullOrder(String mover, List<String> via, List<String> services, String token) {
}
