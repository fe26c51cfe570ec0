package org.tamanoir.benchmarks.relay;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Host;

/**
 * A place for relays on the way from client to server.
 *
 * @param host     where they run
 * @param address  where they listen
 * @param accepts  who they are to those who come in, by TLS; empty without TLS
 * @param connects the same to whom they connect to
 */
record Station(Host host, InetAddress address, Optional<Identity.Files> accepts, Optional<Identity.Files> connects) {
    /** What all speak: TLS 1.3, and the cheapest of its cipher suites where the processor has instructions for AES. */
    static final String CIPHERS = "TLS_AES_128_GCM_SHA256";
    /** The name of the second station in its certificate, for peers that look for no address there. */
    static final String FAR = "far";

    /**
     * Where a relay listens, and where it goes.
     *
     * @param load   where streams for the sink come in
     * @param toLoad where they go
     * @param echo   where streams for the echo come in
     * @param toEcho where they go
     */
    record Ways(Station station, InetSocketAddress load, InetSocketAddress toLoad, InetSocketAddress echo, InetSocketAddress toEcho) {
    }
}
