package org.tamanoir.paths.why;

/** Two hosts between which there were streams: addresses, or prefixes where a theodolite cuts them. */
public record HostPair(String source, String destination) {
}
