package org.tamanoir.service.probe;

import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A service's way to probe; from {@code ServiceContext.probes()}. Safe for all threads. */
public interface Probes {
    /** Trains of one service that may be under way. */
    int MOST_TRAINS = 1024;

    /** Where this node answers the probes of others; null if it does not. */
    InetSocketAddress reflector();

    /**
     * Sends a train and gathers what comes back.
     *
     * @param done told once, on the thread of the service's own tasks, when every answer is there or the patience of the train is over
     * @return false if {@link #MOST_TRAINS} are under way or the node cannot send: nothing will be told then
     */
    boolean send(Train train, Consumer<Answers> done);
}
