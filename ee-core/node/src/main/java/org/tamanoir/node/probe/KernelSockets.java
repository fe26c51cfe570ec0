package org.tamanoir.node.probe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.kernel.Datagrams;

/** Sockets of the kernel helper: the kernel's own time of arrival, and the code point and time to live of each datagram. */
final class KernelSockets implements ProbeSockets {
    private final Datagrams datagrams = new Datagrams();

    private record KernelSocket(Datagrams.Socket socket) implements Socket {
        @Override
        public InetSocketAddress address() {
            return socket.address();
        }

        @Override
        public int receive(DatagramBatch into) throws IOException {
            return socket.receive(into);
        }

        @Override
        public int send(DatagramBatch from, int count) throws IOException {
            return socket.send(from, count, Stamp.TIME);
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @Override
    public Socket open(InetSocketAddress address) throws IOException {
        return new KernelSocket(datagrams.open(address));
    }

    @Override
    public void await(List<Socket> sockets, long nanos) throws IOException {
        datagrams.await(sockets.stream().map(each -> ((KernelSocket) each).socket).toList(), nanos);
    }

    @Override
    public void wake() {
        datagrams.wake();
    }

    @Override
    public int errorEstimate() {
        try {
            Datagrams.ClockQuality quality = Datagrams.clockQuality();
            return ErrorEstimate.of(quality.synchronised(), quality.errorNanos());
        } catch (IOException e) {
            // Some containers do not let a process ask.
            return ErrorEstimate.NOBODY_KNOWS;
        }
    }

    @Override
    public String describe() {
        return "kernel: times, code points and times to live of the kernel";
    }

    @Override
    public void close() {
        datagrams.close();
    }
}
