package org.tamanoir.client.proxy;

import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.StreamRefusedException;

/** Why a program does not get what it asks for, in the words of its protocol. */
enum ProxyFailure {
    /** Whatever has no word of its own: the nodes do not answer, a service is missing. */
    GENERAL(1, 502, "Bad Gateway", "proxy_internal_error"),
    FORBIDDEN(2, 403, "Forbidden", "http_request_denied"),
    NO_ROUTE(3, 502, "Bad Gateway", "destination_ip_unroutable"),
    UNREACHABLE(4, 502, "Bad Gateway", "destination_unavailable"),
    NOT_RESOLVED(4, 502, "Bad Gateway", "dns_error"),
    TIMEOUT(4, 504, "Gateway Timeout", "connection_timeout"),
    CONNECTION_REFUSED(5, 502, "Bad Gateway", "connection_refused"),
    LOOP(6, 502, "Bad Gateway", "proxy_loop_detected"),
    BUSY(1, 503, "Service Unavailable", "connection_limit_reached"),
    BAD_REQUEST(1, 400, "Bad Request", "http_request_error"),
    TOO_LATE(1, 408, "Request Timeout", "http_request_error");

    /** RFC 1928, section 6. */
    final int reply;
    /** RFC 9110, section 15. */
    final int status;
    final String reason;
    /** RFC 9209, section 2.3. */
    final String error;

    ProxyFailure(int reply, int status, String reason, String error) {
        this.reply = reply;
        this.status = status;
        this.reason = reason;
        this.error = error;
    }

    /** @param destination that the stream was opened to; null if it was not */
    static ProxyFailure of(AnepException why, InetSocketAddress destination) {
        return switch (why.code()) {
            case PROXY_REQUEST -> BAD_REQUEST;
            case PROXY_TIMEOUT -> destination == null ? TOO_LATE : TIMEOUT;
            case NO_ROUTE -> NO_ROUTE;
            case HOPS_EXHAUSTED -> LOOP;
            case BUSY, TOO_MANY_STREAMS, TOO_MANY_STREAMS_OF_SOURCE, MEMORY_FULL, STOPPING -> BUSY;
            case PROXY_FORBIDDEN, FORBIDDEN_DESTINATION, NOT_PERMITTED, NOT_IDENTIFIED, TLS_NEEDED, BAD_TOKEN, TOKEN_TIME, TOKEN_AUDIENCE, TOKEN_ISSUER, TOKEN_REVOKED, TOKEN_EXPOSED -> FORBIDDEN;
            case DESTINATION_REFUSED -> CONNECTION_REFUSED;
            // That no node can be reached is not the destination's fault.
            case UNREACHABLE -> destination == null ? NOT_RESOLVED : why instanceof StreamRefusedException ? UNREACHABLE : GENERAL;
            default -> GENERAL;
        };
    }
}
