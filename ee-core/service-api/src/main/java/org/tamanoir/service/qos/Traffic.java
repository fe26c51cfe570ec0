package org.tamanoir.service.qos;

/**
 * What a flow will send (RFC 2475 section 2.3.3.1; the token bucket of RFC 2697).
 *
 * @param rate   octets of IP packets a second
 * @param bucket octets that may come at once
 * @param peak   octets a second that are never passed, or 0 for no such bound
 * @param mtu    octets of the largest packet
 * @param least  smaller packets count as so many octets; 0 for as many as they have
 */
public record Traffic(long rate, long bucket, long peak, int mtu, int least) {
}
