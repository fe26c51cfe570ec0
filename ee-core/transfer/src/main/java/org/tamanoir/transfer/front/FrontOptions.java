package org.tamanoir.transfer.front;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.token.Issuer;

/**
 * How a front serves.
 *
 * @param listen where; port 0 for any
 * @param identity who it is in TLS; null for HTTP without
 * @param token who shows it may do everything; null for none
 * @param issuers whose tokens count, for what their scopes say
 * @param open whether others need to show nothing, if there is neither a token nor an issuer; otherwise whoever is on this machine need not
 * @param readOnly whether nothing is written
 * @param memory octets of extents in memory, of all copies together
 */
public record FrontOptions(InetSocketAddress listen, Identity identity, String token, List<Issuer> issuers, boolean open, boolean readOnly, long memory) {
}
