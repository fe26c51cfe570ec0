package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.tamanoir.node.transport.UdpLeg;

/** What gets the datagrams of groups that are joined on the loop of a port; those of this node itself are left out. */
record GroupReceiver(UdpPort port) implements UdpLeg.Receiver {
    @Override
    public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
        port.ofGroup(buffer, offset, length, sender);
    }

    @Override
    public void readComplete() {
        port.readComplete();
    }
}
