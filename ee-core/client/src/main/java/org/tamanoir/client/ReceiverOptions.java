package org.tamanoir.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.client.resumable.SessionSettings;

/** How a {@link TamanoirReceiver} listens. */
public final class ReceiverOptions {
    private final InetSocketAddress listen;
    private boolean udp;
    private boolean raw;
    private SessionSettings sessions;
    private boolean keepsItself = true;
    private int maxStreams = 1024;
    private Duration openTimeout = Duration.ofSeconds(30);
    private Duration idleTimeout = Duration.ofSeconds(30);

    /** @param listen where; port 0 for any */
    public ReceiverOptions(InetSocketAddress listen) {
        this.listen = listen;
    }

    /** UDP instead of TCP. */
    public ReceiverOptions udp(boolean udp) {
        this.udp = udp;
        return this;
    }

    /** Takes payloads without packets, as a node delivers them raw. Over UDP an empty datagram is the end of its sender's stream. */
    public ReceiverOptions raw(boolean raw) {
        this.raw = raw;
        return this;
    }

    /** Takes streams that outlive their nodes, and no others; null, the preset, for ordinary ones. */
    public ReceiverOptions sessions(SessionSettings settings) {
        this.sessions = settings;
        return this;
    }

    /** Whether octets of a session count as kept when they have arrived, the preset, or when {@link IncomingStream#kept} says so. */
    public ReceiverOptions keepsItself(boolean itself) {
        this.keepsItself = itself;
        return this;
    }

    /** Streams at a time, those included that nobody has accepted; one more is refused with EE-205. Preset 1,024. */
    public ReceiverOptions maxStreams(int streams) {
        this.maxStreams = streams;
        return this;
    }

    /** How long after its connection the first packet of a stream may come; then EE-207. Preset 30 s. */
    public ReceiverOptions openTimeout(Duration timeout) {
        this.openTimeout = timeout;
        return this;
    }

    /** How long a stream over UDP may be silent before it is lost (EE-208), because its end may be. Preset 30 s. */
    public ReceiverOptions idleTimeout(Duration timeout) {
        this.idleTimeout = timeout;
        return this;
    }

    public InetSocketAddress listen() {
        return listen;
    }

    public boolean udp() {
        return udp;
    }

    public boolean raw() {
        return raw;
    }

    /** Null for ordinary streams. */
    public SessionSettings sessions() {
        return sessions;
    }

    public boolean keepsItself() {
        return keepsItself;
    }

    public int maxStreams() {
        return maxStreams;
    }

    public Duration openTimeout() {
        return openTimeout;
    }

    public Duration idleTimeout() {
        return idleTimeout;
    }
}
