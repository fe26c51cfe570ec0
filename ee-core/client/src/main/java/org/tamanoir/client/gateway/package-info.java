/**
 * The gateway for unmodified programs: each ordinary TCP connection is carried as a stream through active nodes, both directions.
 * {@link org.tamanoir.client.gateway.Gateway} is all that others use.
 *
 * <p>May use {@code org.tamanoir.client}, its {@code wire}, {@code org.tamanoir.anep} and Netty.
 */
package org.tamanoir.client.gateway;
