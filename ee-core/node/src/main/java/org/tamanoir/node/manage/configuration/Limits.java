package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.positive;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.within;

import java.time.Duration;
import java.util.Map;
import org.tamanoir.node.stream.StreamLimits;

/**
 * {@code limits:} of the configuration; the first nine are those of {@link StreamLimits}.
 *
 * @param serviceTimeout    how long one call of a service may take
 * @param startTimeout      how long a service may take to start
 * @param repositoryTimeout for one request to a repository
 * @param nodeTimeout       for one request to another node's code server
 * @param rememberFailure   how long a service that could not be had is not asked for again
 * @param bundleBytes       octets of the largest bundle
 * @param guestServices     services of one guest that may run at once
 */
public record Limits(Integer streams, Integer streamsPerSource, Duration packetTimeout, Duration idleTimeout, Duration datagramIdle,
                     Duration connectTimeout, Integer parkedDatagrams, Long memory, Integer hops,
                     Duration serviceTimeout, Duration startTimeout, Duration repositoryTimeout, Duration nodeTimeout,
                     Duration rememberFailure, Long bundleBytes, Integer guestServices) {
    private static final StreamLimits PRESET = StreamLimits.defaults();
    private static final long LEAST_MEMORY = 16L << 20;
    private static final long MOST_MEMORY = 1L << 40;

    public Limits {
        streams = or(positive("streams", streams), PRESET.streams());
        streamsPerSource = or(positive("streams-per-source", streamsPerSource), PRESET.streamsPerSource());
        packetTimeout = or(positive("packet-timeout", packetTimeout), PRESET.packetTimeout());
        idleTimeout = or(positive("idle-timeout", idleTimeout), PRESET.idleTimeout());
        datagramIdle = or(positive("datagram-idle", datagramIdle), PRESET.datagramIdle());
        connectTimeout = or(positive("connect-timeout", connectTimeout), PRESET.connectTimeout());
        parkedDatagrams = or(positive("parked-datagrams", parkedDatagrams), PRESET.parkedDatagrams());
        memory = or(within("memory", memory, LEAST_MEMORY, MOST_MEMORY), PRESET.memory());
        hops = or(within("hops", hops, 1, 255), PRESET.hops());
        serviceTimeout = or(positive("service-timeout", serviceTimeout), Duration.ofSeconds(1));
        startTimeout = or(positive("start-timeout", startTimeout), Duration.ofSeconds(10));
        repositoryTimeout = or(positive("repository-timeout", repositoryTimeout), Duration.ofSeconds(10));
        nodeTimeout = or(positive("node-timeout", nodeTimeout), Duration.ofSeconds(2));
        rememberFailure = or(positive("remember-failure", rememberFailure), Duration.ofSeconds(5));
        bundleBytes = or(positive("bundle-bytes", bundleBytes), 64L << 20);
        guestServices = or(positive("guest-services", guestServices), 8);
    }

    static Limits preset() {
        return new Limits(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    public StreamLimits forStreams() {
        return new StreamLimits(streams, streamsPerSource, packetTimeout, idleTimeout, datagramIdle, connectTimeout,
                parkedDatagrams, memory, hops);
    }

    /** By name, for JSON; times are written as in the file. */
    public Map<?, ?> shown() {
        return ConfigurationValues.shown(this);
    }
}
