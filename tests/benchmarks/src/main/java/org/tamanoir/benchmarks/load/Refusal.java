package org.tamanoir.benchmarks.load;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;

/** What a node answers to a stream that it does not take: an error packet. */
public final class Refusal {
    private static final int LONGEST = 2048;

    private Refusal() {
    }

    /** What has come back on a connection, if that is an error packet: its code and text; otherwise an empty text. Does not wait. */
    public static String of(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        ByteBuffer answer = ByteBuffer.allocate(LONGEST);
        return channel.read(answer) < Anep.HEADER_SIZE ? "" : text(answer.flip());
    }

    /** The code and text of an error packet; an empty text for another packet. @param answer at least its first octets */
    public static String text(ByteBuffer answer) {
        try {
            Packet error = Packet.of(Unpooled.wrappedBuffer(answer));
            error.checkOptions();
            var report = error.options().error();
            return report == null ? "" : report.code() + " " + report.text();
        } catch (MalformedPacketException e) {
            return ErrorCode.INTERNAL + " the node answered with something that is no packet: " + e.getMessage();
        }
    }
}
