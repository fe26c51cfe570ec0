package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/**
 * What a node changes in a datagram before it goes on: one hop less, and the node itself as the one before. What a rule forwards goes on
 * with the hops alone, as in the kernel; what others serve in the place of this node goes on as it came.
 *
 * @param self     what this node says of itself to the next
 * @param hops     for packets that say none, and the most for those that say more, 1 to 255
 * @param source   who the sender is, in place of whom it claims to be; null for a listed node, which is believed
 */
record OnwardDatagram(PreviousNode self, int hops, InetAddress source) {
    /**
     * The datagram as it goes on: itself, changed where it stands, or a new one where it has no room for the change.
     *
     * @param handed    whether others serve the stream in the place of this node
     * @param forwarded whether a rule forwards the packet
     * @param view      is moved to the new packet if there is one; the caller then releases its buffer
     * @throws AnepException EE-105 if there is no room for what a node adds
     */
    Packet of(Packet packet, boolean handed, boolean forwarded, Packet view) {
        int left = Math.min(packet.hops(), hops);
        boolean named = packet.has(OptionType.PREVIOUS_NODE);
        Packet onward = packet;
        if (left < 0 || source != null && packet.has(OptionType.SOURCE) || !named && !forwarded && !handed && !packet.canNamePreviousNode()) {
            ByteBuf whole = rewritten(packet, left < 0 ? hops : left, handed);
            return view.wrap(whole, whole.readerIndex(), whole.readableBytes());
        }
        if (!named && !forwarded && !handed) {
            onward = view;
            packet.namePreviousNode(self.id(), self.codePort(),
                    PooledByteBufAllocator.DEFAULT.directBuffer(packet.length() + Packet.PREVIOUS_NODE_SIZE), view);
        } else if (named && !(handed && packet.previousNode() == 0)) {
            packet.setPreviousNode(self.id(), self.codePort());
        }
        onward.setHops(handed ? left : left - 1);
        onward.setHandedOver(handed);
        return onward;
    }

    private ByteBuf rewritten(Packet packet, int left, boolean handed) {
        PacketOptions options = packet.options().hops(handed ? left : left - 1).handedOver(handed).connection(null, 0);
        if (source != null && options.source() != null) {
            options.source(Identifier.of(source));
        }
        if (!handed || options.previousNode() != null && !options.previousNode().isNone()) {
            options.previousNode(self);
        }
        try {
            return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.TRUNCATED, "the datagram has no room for what a node adds: " + e.getMessage(), e);
        }
    }
}
