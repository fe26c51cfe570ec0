package org.tamanoir.dyram.receiver;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * What a receiver is told.
 *
 * @param name     under which the source knows it, 1 to 64 octets of UTF-8
 * @param instance a random number; the same when the receiver is started again to go on with a session
 * @param secret   what it shares with the source; may be empty
 * @param group    whose sessions it takes
 * @param via      its node; null if it takes the first that announces a session on the group
 * @param gather   how long it gathers losses, and waits for packets that overtook each other, before it asks
 * @param patience how long it waits for a source that has gone silent, once it takes part
 * @param window   losses that it asks for at the same time at most
 */
public record ReceiverSettings(String name, long instance, byte[] secret, InetSocketAddress group, InetSocketAddress via,
                               Duration gather, Duration patience, int window) {
    public static final Duration GATHER = Duration.ofMillis(2);
    public static final Duration PATIENCE = Duration.ofSeconds(30);
    public static final int WINDOW = 1024;

    /** With the usual times. */
    public ReceiverSettings(String name, long instance, byte[] secret, InetSocketAddress group, InetSocketAddress via) {
        this(name, instance, secret, group, via, GATHER, PATIENCE, WINDOW);
    }
}
