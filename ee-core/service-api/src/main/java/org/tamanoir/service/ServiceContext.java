package org.tamanoir.service;

import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.tamanoir.service.connection.Connections;
import org.tamanoir.service.flow.Flows;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.server.Server;
import org.tamanoir.service.tcp.TcpStreams;
import org.tamanoir.service.worker.Workers;

/** What a node gives a service for the whole of its life. */
public interface ServiceContext {
    /** The name in its capability. */
    String name();

    /** The version in its capability. */
    String version();

    /** The options that the operator has set for it, and nobody else's. */
    Configuration configuration();

    /** Where it registers what it counts. */
    Metrics metrics();

    /** What the version before has handed over ({@link ActiveService#handOver}); empty if there was none, or it handed nothing over. */
    default Map<String, Object> inherited() {
        return Map.of();
    }

    /** Its rules for packets that no handler needs to see; where they run is the node's choice. */
    LightRules rules();

    /** The node that it runs on. */
    NodeFacts node();

    /** The time in nanoseconds, the same as that of its streams. Any thread. */
    long nanoTime();

    /**
     * Runs a task of the service itself after some time: never before it, a little after it, and one at a time, on a thread that is not a
     * stream's. Nothing runs once {@link ActiveService#stop} has been called. The task must return in time, as a handler must. Any thread.
     *
     * @param delay what is negative counts as zero
     * @throws org.tamanoir.anep.AnepException EE-309 if {@link StreamContext#MOST_TIMERS} wait already
     */
    Timer later(Duration delay, Runnable task);

    /** What it keeps over a restart of the node. */
    Store store();

    /** Blocks that it keeps on the disk, such as the contents of a cache. */
    Blocks blocks();

    /** Its way to measure the way to other nodes. */
    Probes probes();

    /** Its way to measure what TCP carries to other nodes; once {@link ActiveService#start} has returned. */
    Flows flows();

    /** Its way to open connections to other hosts, as far as the operator lets it; once {@link ActiveService#start} has returned. */
    Connections connections();

    /** Its way to run programs in a sandbox, as far as the operator lets it; once {@link ActiveService#start} has returned. */
    Workers workers();

    /** What the kernel says of the TCP connections of the node's streams. */
    TcpStreams tcp();

    /**
     * The server whose URL the operator has given in an option, with the token in the file that {@code OPTION-token-file} names, if it is
     * set. To be asked for in {@link ActiveService#start}.
     *
     * @param option such as {@code collector}
     * @return null if the option is not set
     * @throws org.tamanoir.anep.AnepException EE-501 if it is no http or https URL, or the file of the token cannot be read
     */
    Server server(String option);

    /**
     * Another service of this node, whose class implements a contract. The node is asked for it as soon as it is wanted and not there.
     *
     * @param typeId   its Type ID
     * @param contract an interface of the service API; or one that both bundles carry under the same name, with the same methods, whose parameters and
     *                 results are of Java, of ANEP or of the service API
     */
    <T> Partner<T> partner(int typeId, Class<T> contract);

    /** Its log: {@code tamanoir.service.NAME}. */
    Logger logger();
}
