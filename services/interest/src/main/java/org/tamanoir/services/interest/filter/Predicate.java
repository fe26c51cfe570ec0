package org.tamanoir.services.interest.filter;

/**
 * A predicate as it is written.
 *
 * @param text        in CEL
 * @param message     full name of the message that the data of events is, for protobuf; null for JSON, CBOR and octets
 * @param descriptors a {@code FileDescriptorSet} in Base64 that has this message; null without one
 */
public record Predicate(String text, String message, String descriptors) {
    private static final int WEIGHT = 16 * 1024;
    private static final int WEIGHT_OF_DESCRIPTORS = 10;

    /** Octets that it takes when it has been compiled, about. */
    public int weight() {
        return WEIGHT + 2 * text.length() + (descriptors == null ? 0 : WEIGHT_OF_DESCRIPTORS * descriptors.length());
    }
}
