/**
 * Sessions on the network: {@link org.tamanoir.client.session.SessionEnd} over connections to nodes. {@link org.tamanoir.client.resumable.Ways} says by which nodes
 * a session is opened, {@link org.tamanoir.client.resumable.SessionPort} takes those that nodes bring, and both give a
 * {@link org.tamanoir.client.resumable.Session}, which runs on one event loop and speaks with an application.
 *
 * <p>May use {@code org.tamanoir.client.session} and {@code wire}, {@code org.tamanoir.anep} and Netty.
 */
package org.tamanoir.client.resumable;
