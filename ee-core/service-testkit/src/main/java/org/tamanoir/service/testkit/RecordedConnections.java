package org.tamanoir.service.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections;

/**
 * Keeps the connections that a service opens; the test is the other side of each.
 *
 * <pre>{@code
 * Opened origin = harness.connections().only();
 * origin.accept().answer("HTTP/1.1 304 Not Modified\r\n\r\n".getBytes(US_ASCII)).end();
 * }</pre>
 */
public final class RecordedConnections implements Connections {
    private final List<Opened> all = new ArrayList<>();
    private Predicate<Remote> reaches = remote -> true;
    private int most = Integer.MAX_VALUE;
    private boolean closed;

    @Override
    public Connection open(Remote remote, ConnectionHandler handler) {
        if (closed) {
            throw new AnepException(ErrorCode.STOPPING, "the service stops and opens no connection");
        }
        if (!reaches.test(remote)) {
            throw new AnepException(ErrorCode.NOT_PERMITTED, "the service may not reach " + remote);
        }
        if (all.stream().filter(each -> !each.over).count() >= most) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "the service has " + most + " connections and may have no more");
        }
        Opened opened = new Opened(remote, handler);
        all.add(opened);
        return opened;
    }

    /** Where the policy lets it go; without this everywhere. */
    public RecordedConnections reaches(Predicate<Remote> allowed) {
        reaches = allowed;
        return this;
    }

    /** How many it may have at once; without this as many as it likes. */
    public RecordedConnections most(int connections) {
        most = connections;
        return this;
    }

    /** All that were opened, in order. */
    public List<Opened> all() {
        return List.copyOf(all);
    }

    /** The one that was opened. @throws ContractViolation if it is not one */
    public Opened only() {
        if (all.size() != 1) {
            throw new ContractViolation(all.size() + " connections were opened");
        }
        return all.get(0);
    }

    /** The service is stopped: nobody is told any more. */
    void close() {
        closed = true;
        all.forEach(each -> each.over = true);
    }

    /** One connection: for the service, and for the test on the other side. */
    public static final class Opened extends RecordedOctets implements Connection {
        private final Remote remote;
        private final ConnectionHandler handler;
        private boolean ended;

        private Opened(Remote remote, ConnectionHandler handler) {
            this.remote = remote;
            this.handler = handler;
        }

        /** Where it goes. */
        public Remote remote() {
            return remote;
        }

        /** The octets that the service has written since this was asked last. */
        public byte[] sent() {
            return taken();
        }

        /** The other side accepts. */
        public Opened accept() {
            handler.onConnected(this);
            return this;
        }

        /** Octets come from the other side. */
        public Opened answer(byte[] octets) {
            lend(octets, lent -> handler.onOctets(this, lent));
            return this;
        }

        /** The other side ends its direction. */
        public Opened end() {
            ended = true;
            handler.onEnd(this);
            endIfDone();
            return this;
        }

        /** It breaks, or is refused. */
        public void fail(ErrorCode code) {
            close(new AnepException(code, "as the test says"));
        }

        /** Whether the other side takes what is written; what it does not take is kept all the same. */
        public void room(boolean now) {
            roomIs(now);
        }

        @Override
        void hasRoom() {
            handler.onWritable(this);
        }

        private void endIfDone() {
            if (ended && isFinished()) {
                close(null);
            }
        }

        private void close(AnepException why) {
            if (!over) {
                over = true;
                handler.onClosed(this, why);
            }
        }

        @Override
        public void finish() {
            super.finish();
            endIfDone();
        }

        @Override
        public void abort() {
            close(new AnepException(ErrorCode.CONNECTION_LOST, "the service has cut its connection to " + remote));
        }
    }
}
