package org.tamanoir.fleet.tree;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What differs at one key.
 *
 * @param key  sections with dots between, {@code limits.streams}; one that has other signs in brackets, {@code routes[10.0.0.0/8]}
 * @param from null if it was not there
 * @param to   null if it is not there any more
 */
public record Change(String key, JsonNode from, JsonNode to) {
}
