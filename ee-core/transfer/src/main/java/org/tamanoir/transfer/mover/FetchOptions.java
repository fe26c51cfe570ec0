package org.tamanoir.transfer.mover;

import org.tamanoir.client.BearerToken;
import org.tamanoir.client.wire.NodeTls;

/**
 * What a mover fetches itself from others.
 *
 * @param most copies at a time; 0 for none
 * @param bearer what nodes are shown; null for nothing
 * @param tls how nodes are reached by TLS; null for not at all
 */
public record FetchOptions(int most, BearerToken bearer, NodeTls tls) {
    public static final FetchOptions PRESET = new FetchOptions(4, null, null);
}
