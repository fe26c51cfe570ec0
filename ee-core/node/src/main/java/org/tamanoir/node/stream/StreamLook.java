package org.tamanoir.node.stream;

/**
 * What changes of a stream from moment to moment; {@link StreamStatus} says what stays. Cheap: a node looks at thousands of streams twice a second.
 *
 * @param number      this node's own number for it
 * @param bytesIn     octets from the side of the source
 * @param bytesBack   octets from the side of the destination
 * @param waited      nanoseconds in which what is behind the node took no more
 * @param waitedBack  nanoseconds in which its source took no more
 * @param tripMicros  round trip behind the node; 0 if it is not known
 */
public record StreamLook(long number, String state, long bytesIn, long bytesBack, long waited, long waitedBack, long tripMicros) {
}
