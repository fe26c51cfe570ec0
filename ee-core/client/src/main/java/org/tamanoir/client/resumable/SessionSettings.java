package org.tamanoir.client.resumable;

import java.time.Duration;

/**
 * What sessions may need.
 *
 * @param ring   octets of one direction of one session that may wait for an acknowledgement: the rate times the round trip and 50 ms
 * @param memory octets that the rings of all sessions share; what a session needs first is its own
 * @param window how long a session lives without a chain of nodes
 * @param most   sessions at a time
 */
public record SessionSettings(long ring, long memory, Duration window, int most) {
    /** 16 MiB for a session, which carry 894 Mbit/s at a round trip of 100 ms; 48 MiB for all; a minute; 1,024. */
    public static final SessionSettings PRESET = new SessionSettings(16 << 20, 48 << 20, Duration.ofSeconds(60), 1024);
}
