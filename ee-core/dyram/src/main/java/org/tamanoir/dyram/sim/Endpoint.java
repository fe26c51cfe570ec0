package org.tamanoir.dyram.sim;

import java.net.InetSocketAddress;
import org.tamanoir.dyram.node.NodeCore;
import org.tamanoir.dyram.receiver.ReceiverCore;
import org.tamanoir.dyram.source.SourceCore;
import org.tamanoir.dyram.wire.Message;

/** What runs at an address: source, node or receiver behind one face. */
public interface Endpoint {
    void start(long now);

    void onMessage(long now, Message message, InetSocketAddress from);

    void flush(long now);

    long deadline();

    void onTimer(long now);

    static Endpoint of(SourceCore core) {
        return new Endpoint() {
            @Override
            public void start(long now) {
                core.start(now);
            }

            @Override
            public void onMessage(long now, Message message, InetSocketAddress from) {
                core.onMessage(now, message, from);
            }

            @Override
            public void flush(long now) {
                core.flush(now);
            }

            @Override
            public long deadline() {
                return core.deadline();
            }

            @Override
            public void onTimer(long now) {
                core.onTimer(now);
            }
        };
    }

    static Endpoint of(NodeCore core) {
        return new Endpoint() {
            @Override
            public void start(long now) {
                // A node waits for others.
            }

            @Override
            public void onMessage(long now, Message message, InetSocketAddress from) {
                core.onMessage(now, message, from);
            }

            @Override
            public void flush(long now) {
                core.flush(now);
            }

            @Override
            public long deadline() {
                return core.deadline();
            }

            @Override
            public void onTimer(long now) {
                core.onTimer(now);
            }
        };
    }

    static Endpoint of(ReceiverCore core) {
        return new Endpoint() {
            @Override
            public void start(long now) {
                core.start(now);
            }

            @Override
            public void onMessage(long now, Message message, InetSocketAddress from) {
                core.onMessage(now, message, from);
            }

            @Override
            public void flush(long now) {
                core.flush(now);
            }

            @Override
            public long deadline() {
                return core.deadline();
            }

            @Override
            public void onTimer(long now) {
                core.onTimer(now);
            }
        };
    }
}
