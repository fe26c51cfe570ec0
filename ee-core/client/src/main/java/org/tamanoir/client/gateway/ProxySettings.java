package org.tamanoir.client.gateway;

import java.time.Duration;
import java.util.Map;
import org.tamanoir.identity.destination.DestinationRules;

/**
 * A {@link Gateway} that asks each program where it wants to go.
 *
 * @param rules   which destinations are allowed
 * @param users   passwords by name; empty where nobody has to show one
 * @param patience how long a program may take to say it
 * @param longest how long nodes and destination may take to accept
 */
public record ProxySettings(DestinationRules rules, Map<String, String> users, Duration patience, Duration longest) {
    /** Programs have 10 s, nodes and destination 60 s: nodes may have to fetch a service first. */
    public ProxySettings(DestinationRules rules, Map<String, String> users) {
        this(rules, users, Duration.ofSeconds(10), Duration.ofSeconds(60));
    }
}
