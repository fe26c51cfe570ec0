package org.tamanoir.service;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Options of a service by name. A getter checks what it returns: a value of the wrong kind or out of range ends the start of the service
 * with EE-501 and a message that names the option. So does an option that {@link ActiveService#start} has not asked for: it is misspelt.
 *
 * <pre>{@code
 * level = service.configuration().integer("level", 3, 1, 19);
 * }</pre>
 */
public interface Configuration {
    /** A text, or {@code preset} if it is not set. */
    String text(String name, String preset);

    /** One of some words, or {@code preset} if it is not set. */
    String choice(String name, String preset, List<String> allowed);

    /** A whole number from {@code least} to {@code most}, or {@code preset} if it is not set. */
    int integer(String name, int preset, int least, int most);

    /** {@code true} or {@code false}, or {@code preset} if it is not set. */
    boolean flag(String name, boolean preset);

    /** A time as in {@code 250ms}, {@code 10s}, {@code 5m}; or {@code preset} if it is not set. */
    Duration duration(String name, Duration preset);

    /** Addresses with their ports, as in {@code 10.0.1.1:3322, [2001:db8::1]:3322}; none if it is not set. Names are not looked up. */
    List<InetSocketAddress> addresses(String name);

    /** The names that are set. */
    Set<String> names();
}
