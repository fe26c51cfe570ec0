package org.tamanoir.services.cache;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;

/** What answers requests: the stream of a program, or the service itself for nobody. All that it does runs one at a time. */
interface Way {
    /** Where requests go. */
    InetSocketAddress origin();

    /** Runs a task soon; false if it will not run. Any thread. */
    boolean execute(Task task);

    /** Runs a task after some time. */
    void later(Duration delay, Task task);

    /** Makes the origin wait, or lets it go on. */
    boolean pauseOrigin(boolean pause);

    /** A stream. @param origin whose answers it is about */
    static Way of(StreamContext stream, InetSocketAddress origin) {
        return new Way() {
            @Override
            public InetSocketAddress origin() {
                return origin;
            }

            @Override
            public boolean execute(Task task) {
                return stream.execute(task);
            }

            @Override
            public void later(Duration delay, Task task) {
                stream.later(delay, task);
            }

            @Override
            public boolean pauseOrigin(boolean pause) {
                return stream.pauseDestination(pause);
            }
        };
    }

    /** The address and the port of an origin, as they stand in keys of objects. */
    static String name(InetSocketAddress origin) {
        return origin.getAddress() == null ? origin.toString() : origin.getAddress().getHostAddress() + ":" + origin.getPort();
    }
}
