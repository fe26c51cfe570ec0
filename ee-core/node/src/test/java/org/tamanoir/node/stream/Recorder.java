package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.node.transport.Stage;

/**
 * The last step of a direction: writes down what comes, a word each. A packet is its payload, with its code point behind {@code @} if it
 * has one; an error packet is {@code error}; the rest is {@code flush}, {@code end} and {@code mark N}.
 */
final class Recorder extends Stage {
    final List<String> came = new ArrayList<>();
    /** The last packet, as its octets and as a view on a copy of them. */
    Packet last;
    byte[] octets;
    long octetsInAll;
    /** Runs that came as one piece. */
    int runs;
    private final Set<ByteBuf> buffers = Collections.newSetFromMap(new IdentityHashMap<>());

    Recorder() {
        super(null);
    }

    static String text(Packet packet) {
        return packet.typeId() == Anep.TYPE_ERROR ? "error" : packet.payload().toString(StandardCharsets.UTF_8);
    }

    @Override
    public void packet(Packet packet) {
        assertThat(packet.buffer().refCnt()).as("the packet's buffer is there").isPositive();
        buffers.add(packet.buffer());
        came.add(text(packet) + (packet.codePoint() == 0 ? "" : "@" + packet.codePoint()));
        octetsInAll += packet.length();
        octets = new byte[packet.length()];
        packet.buffer().getBytes(packet.offset(), octets);
        last = Packet.of(Unpooled.wrappedBuffer(octets)).codePoint(packet.codePoint()).receivedNanos(packet.receivedNanos());
    }

    @Override
    public void packets(PacketRun run) {
        runs++;
        super.packets(run);
    }

    @Override
    public boolean takesRuns() {
        return true;
    }

    @Override
    public void flush() {
        came.add("flush");
    }

    @Override
    public void end() {
        came.add("end");
    }

    @Override
    public void mark(int codePoint) {
        came.add("mark " + codePoint);
    }

    /** What has come since the last time. */
    List<String> take() {
        List<String> taken = new ArrayList<>(came);
        came.clear();
        return taken;
    }

    /** As {@link #take}, without flushes. */
    List<String> packets() {
        List<String> taken = take();
        taken.removeIf("flush"::equals);
        return taken;
    }

    /** Nobody holds a buffer of which a part has come by. */
    void assertReleased() {
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).as("references of %s", buffer).isZero());
    }
}
