package org.tamanoir.http.fetch;

import java.util.Optional;

/**
 * An answer that was asked for with an entity tag.
 *
 * @param body the octets; empty where the server says that nothing has changed
 * @param etag the tag of what the server has now, quotes and all; null if it gives none
 */
public record Fetched(Optional<byte[]> body, String etag) {
}
