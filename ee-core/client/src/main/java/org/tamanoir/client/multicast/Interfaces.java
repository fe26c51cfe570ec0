package org.tamanoir.client.multicast;

import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Which network interface multicast uses. */
final class Interfaces {
    private Interfaces() {
    }

    /** The interface of a name. @throws AnepException EE-604 if there is none */
    static NetworkInterface named(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            if (found != null) {
                return found;
            }
        } catch (SocketException e) {
            throw new AnepException(ErrorCode.NO_INTERFACE, "the network interface '" + name + "' cannot be used: " + e.getMessage(), e);
        }
        throw new AnepException(ErrorCode.NO_INTERFACE, "there is no network interface '" + name + "'");
    }

    /** The interface that the machine's routes choose toward an address; null if none does. Sends nothing. */
    static NetworkInterface toward(InetSocketAddress peer) {
        try (DatagramChannel probe = DatagramChannel.open(peer.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET
                : StandardProtocolFamily.INET6)) {
            probe.connect(peer.getPort() == 0 ? new InetSocketAddress(peer.getAddress(), 9) : peer);
            return NetworkInterface.getByInetAddress(((InetSocketAddress) probe.getLocalAddress()).getAddress());
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException e) {
            return null;
        }
    }

    static SocketProtocolFamily family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet4Address ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6;
    }
}
