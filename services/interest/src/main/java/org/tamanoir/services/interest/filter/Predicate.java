package org.tamanoir.services.interest.filter;

/**
 * A predicate as it is written.
 *
 * @param text        in CEL
 * @param message     full name of the message that the data of events is, for protobuf; null for JSON, CBOR and octets
 * @param descriptors a {@code FileDescriptorSet} in Base64 that has this message; null without one
 */
public record Predicate(String text, String message, String descriptors) {
}
