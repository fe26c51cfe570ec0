package org.tamanoir.benchmarks.bundle;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * Writes its version into every packet toward the destination, at one place of the payload on the first node of the path and at another on
 * the last: what arrives says which version it met on each. Packets with a shorter payload pass as they are. Runs inside a node, so it uses
 * no other class of the benchmarks.
 */
public final class Stamp implements ActiveService {
    /** Octet of the payload where the first node's version stands, 32 bits; 0 as long as no service has seen the packet. */
    public static final int INGRESS = 40;
    /** The same for the last node; a node that is both writes there. */
    public static final int EGRESS = 44;
    /** Octets of payload that the stamps end with. */
    public static final int END = 48;

    private int version;

    @Override
    public void start(ServiceContext service) {
        version = number(service.version());
    }

    /** What stands for a version in a packet: its last part, {@code 1.0.7} is 7. */
    public static int number(String version) {
        return Integer.parseInt(version.substring(version.lastIndexOf('.') + 1));
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.position() == Position.TRANSIT) {
            return (packet, out) -> Verdict.PASS;
        }
        int at = stream.position() == Position.INGRESS ? INGRESS : EGRESS;
        return (packet, out) -> stamp(packet, out, at);
    }

    private Verdict stamp(Packet packet, Output out, int at) {
        if (packet.payloadLength() < END) {
            return Verdict.PASS;
        }
        // A view is not the service's to change: what goes on is a copy.
        ByteBuf stamped = out.allocator().buffer(packet.length()).writeBytes(packet.buffer(), packet.offset(), packet.length());
        stamped.setInt(packet.headerLength() + at, version);
        out.emit(stamped);
        return Verdict.TAKEN;
    }
}
