package org.tamanoir.client.gateway;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.client.resumable.SessionSettings;

/**
 * Where an {@link Endpoint} listens and what it makes of a session.
 *
 * @param listen         where nodes connect; port 0 for any
 * @param server         the ordinary server that each session is carried to
 * @param sessions       how many there may be and what they may need
 * @param connectTimeout how long the server may take to accept a connection
 * @param threads        event loops
 */
public record EndpointOptions(InetSocketAddress listen, InetSocketAddress server, SessionSettings sessions, Duration connectTimeout, int threads) {
    /** With presets: 10 s, an event loop a processor and at most 4. */
    public EndpointOptions(InetSocketAddress listen, InetSocketAddress server) {
        this(listen, server, SessionSettings.PRESET, Duration.ofSeconds(10), Math.min(4, Runtime.getRuntime().availableProcessors()));
    }
}
