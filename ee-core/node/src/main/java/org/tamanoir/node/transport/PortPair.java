package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One port number for TCP and UDP. The system chooses a free one for TCP alone; where somebody has the same number for UDP, another is
 * tried.
 */
public final class PortPair {
    /** Even with half of all ports taken for UDP, all of these fail once in 65,536 starts. */
    static final int ATTEMPTS = 16;

    private PortPair() {
    }

    /**
     * Opens both.
     *
     * @param address with port 0 for any that is free; another port is tried once
     * @param tcp     opens a listener, on a port of its choice if asked for 0
     * @param udp     opens what takes datagrams on the listener's port; leaves nothing open where it fails
     * @return the listener
     * @throws AnepException EE-502
     */
    public static Channel open(InetSocketAddress address, Function<InetSocketAddress, Channel> tcp, Consumer<InetSocketAddress> udp) {
        for (int attempt = 1; ; attempt++) {
            Channel listener = tcp.apply(address);
            try {
                udp.accept((InetSocketAddress) listener.localAddress());
                return listener;
            } catch (AnepException e) {
                listener.close().awaitUninterruptibly();
                if (address.getPort() != 0 || e.code() != ErrorCode.CANNOT_LISTEN || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
