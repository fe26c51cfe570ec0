/**
 * Joins small datagrams between the first and the last node of a path. {@link org.tamanoir.services.coalesce.Coalesce} reads the options and opens
 * streams; a stream has a {@link org.tamanoir.services.coalesce.JoinedDirection} for the direction that enters the path here and a
 * {@link org.tamanoir.services.coalesce.SplitDirection} for the one that leaves it. The form of a joined packet is in {@code org.tamanoir.anep}.
 *
 * <p>Uses the service API, {@code org.tamanoir.anep} and Netty's buffers.
 */
package org.tamanoir.services.coalesce;
