/**
 * What is kept: {@link org.tamanoir.services.cache.objects.CachedObject objects} in blocks of 1 MiB, the {@link org.tamanoir.services.cache.objects.Fill fills} that
 * bring them, and the {@link org.tamanoir.services.cache.objects.CachedObjects} that know them all. One lock; no input or output but by the blocks and the store of the node.
 *
 * <p>Uses the service API, {@code org.tamanoir.services.cache.rules}, Netty's buffers and Caffeine.
 */
package org.tamanoir.services.cache.objects;
