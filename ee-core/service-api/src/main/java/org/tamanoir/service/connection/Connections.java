package org.tamanoir.service.connection;

import org.tamanoir.anep.Delivery;

/**
 * A service's way to open TCP connections of its own; from {@code ServiceContext.connections()}. Safe for all threads.
 *
 * <p>Such a connection is a stream of the service's own Type ID with this node as its source: it goes by the routes of the node, the nodes behind it
 * treat it as any other stream that has crossed a node, and the last of them connects to the server. Where a route leads straight there, this node does. The operator names in
 * {@code reaches} of the service's policy where it may go, and in {@code connections} how many it may have at once.
 */
public interface Connections {
    /**
     * Opens a connection. What is written before it stands is kept and sent then.
     *
     * @param handler told of everything, one call at a time, among the tasks of the service
     * @throws org.tamanoir.anep.AnepException EE-216 if the policy does not name the remote, EE-309 if there are as many connections as the policy allows,
     *     EE-210 if the service stops. What goes wrong later is told to the handler
     * @throws IllegalStateException in the start of the service
     */
    Connection open(Remote remote, ConnectionHandler handler);

    /**
     * Where a connection goes.
     *
     * @param host     an address or a name, which the node looks up
     * @param port     1 to 65,535
     * @param delivery {@code RAW} for an ordinary server, {@code ANEP} for another node, where the same service takes the connection
     *                 ({@link org.tamanoir.service.FlowSink})
     */
    record Remote(String host, int port, Delivery delivery) {
        /** @throws IllegalArgumentException for a port that there is not */
        public Remote {
            if (port < 1 || port > 0xFFFF) {
                throw new IllegalArgumentException("port " + port + "; there are 1 to 65,535");
            }
        }

        /** An ordinary server. */
        public static Remote server(String host, int port) {
            return new Remote(host, port, Delivery.RAW);
        }

        /** The same service of another node. */
        public static Remote node(String host, int port) {
            return new Remote(host, port, Delivery.ANEP);
        }

        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }
}
