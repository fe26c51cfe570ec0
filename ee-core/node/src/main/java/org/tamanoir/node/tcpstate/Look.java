package org.tamanoir.node.tcpstate;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Supplier;
import org.tamanoir.node.tcpstate.Window.RawObservation;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.StreamState;

/**
 * A stream as it was at the last look, for services. Taken on its loop; told on any thread.
 *
 * @param last   null if it was never looked at
 * @param lately what it is to be judged by; null if its last verdict is young enough
 */
record Look(WatchedStream stream, SampledStream.Facts facts, int codePoint, long octets, long returned, RawObservation last, Supplier<List<RawObservation>> lately) {
    StreamState told() {
        return new StreamState(facts.number(), facts.source(), facts.destination(), facts.typeIds(), codePoint, facts.beganNanos(), last == null ? 0 : last.nanos(), octets, returned,
                last == null ? null : new Kernel(facts.peer(), last.before()), last == null || last.after() == null ? null : new Kernel(facts.next(), last.after()),
                stream.reason(lately));
    }

    /** The last of a stream. */
    record Ending(Look look, long nanos, String failure) {
        Ended told() {
            return new Ended(look.told(), nanos, failure);
        }
    }

    /** What the kernel wrote; decoded when it is asked for. */
    private record Kernel(InetSocketAddress peer, byte[] octets) implements TcpConnection {
        @Override
        public long field(String name) {
            TcpField field = TcpField.named(name);
            return field == null || !TcpState.has(octets.length, field) ? -1 : TcpState.read(ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()), field);
        }
    }
}
