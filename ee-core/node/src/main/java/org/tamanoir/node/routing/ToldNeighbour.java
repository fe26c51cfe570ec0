package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import org.tamanoir.node.routing.told.ToldPolicy;

/**
 * A node that an operator listed as one to tell and to believe.
 *
 * @param at       where it takes streams; its messages come from there
 * @param isSecure whether streams go to it by TLS; messages never do
 */
public record ToldNeighbour(InetSocketAddress at, boolean isSecure, ToldPolicy policy) {
}
