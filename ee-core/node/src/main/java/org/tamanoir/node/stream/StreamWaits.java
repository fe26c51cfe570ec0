package org.tamanoir.node.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.waits.WaitTimes;

/**
 * How long streams wait, and for what. A stream observes when it begins, and once more when the first packet comes back; a packet after that passes nothing of this.
 * Any thread.
 */
public final class StreamWaits {
    private final WaitTimes opened = WaitTimes.of("tamanoir_stream_open_seconds",
            "From the first packet of a stream until packets go on: access policy, services and, unless a service wants it later, the connection to the next hop.",
            0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30);
    private final WaitTimes service = WaitTimes.of("tamanoir_service_wait_seconds",
            "How long a stream has waited for a service that did not run, whether it came or not.",
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60);
    private final WaitTimes firstBack = WaitTimes.of("tamanoir_stream_first_octet_seconds",
            "From the connection to the next hop until the first packet with octets of the far end comes back.",
            0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60);
    private final WaitTimes lag = WaitTimes.of("tamanoir_loop_lag_seconds", "How late each event loop has run its clock, four times a second.",
            0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5);

    /** A stream has got to its next hop. @param nanos since its first packet */
    void opened(long nanos) {
        opened.took(nanos);
    }

    /** An event loop has run what was due. @param late how many nanoseconds after that */
    void lag(long late) {
        lag.took(late);
    }

    /** A stream asks for a service: it waits if it is not there at once. @return the same */
    <T> CompletableFuture<T> waitsFor(CompletableFuture<T> coming) {
        if (!coming.isDone()) {
            long began = System.nanoTime();
            coming.whenComplete((got, failure) -> service.took(System.nanoTime() - began));
        }
        return coming;
    }

    /**
     * The first step of what comes back, from now on until the first octets of the far end have come. What nodes say themselves, of an error or of a connection, is
     * none of them.
     *
     * @param behind what comes back goes there
     * @param to     told then where it goes in place of here
     */
    Stage firstBack(Stage behind, Consumer<Stage> to) {
        return new FirstBack(behind, to);
    }

    private final class FirstBack extends Stage {
        private final Consumer<Stage> to;
        private final long began = System.nanoTime();

        FirstBack(Stage behind, Consumer<Stage> to) {
            super(behind);
            this.to = to;
        }

        @Override
        public void packet(Packet packet) {
            if (packet.typeId() != Anep.TYPE_ERROR && !packet.isConnected()) {
                firstBack.took(packet.receivedNanos() - began);
                to.accept(next());
            }
            next().packet(packet);
        }
    }

    /** All of them. */
    public List<WaitTimes> all() {
        return List.of(opened, service, firstBack, lag);
    }
}
