package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Run;
import org.tamanoir.service.Verdict;

/** The packets of one read that a {@link org.tamanoir.service.RunHandler} is given together. Its views and lists are used again and again. */
final class GatheredRun implements Run {
    private final BiConsumer<Packet, Verdict> settler;
    private final Packet.Keeper keeper;
    private final List<Packet> packets = new ArrayList<>();
    private final Verdict[] verdicts = new Verdict[MOST_PACKETS];
    /** Buffers that packets lie in, a reference of each. */
    private final List<ByteBuf> buffers = new ArrayList<>();
    private int count;
    private int octets;
    private int settled;

    /** @param settler does with a packet what its verdict says */
    GatheredRun(Packet.Keeper keeper, BiConsumer<Packet, Verdict> settler) {
        this.keeper = keeper;
        this.settler = settler;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether there is room for one more; all of a run leave with one code point. */
    boolean takes(Packet packet) {
        return count == 0 || count < MOST_PACKETS && octets + packet.length() <= MOST_OCTETS && packet.codePoint() == packets.get(0).codePoint();
    }

    /** Keeps a packet until {@link #clear}. */
    void add(Packet packet) {
        ByteBuf buffer = packet.buffer();
        if (buffers.isEmpty() || buffers.get(buffers.size() - 1) != buffer) {
            buffers.add(buffer.retain());
        }
        if (count == packets.size()) {
            packets.add(new Packet());
        }
        packets.get(count).wrap(buffer, packet.offset(), packet.length()).receivedNanos(packet.receivedNanos()).codePoint(packet.codePoint()).keptBy(keeper);
        verdicts[count++] = Verdict.PASS;
        octets += packet.length();
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public Packet packet(int index) {
        return packets.get(Objects.checkIndex(index, count));
    }

    @Override
    public void verdict(int index, Verdict verdict) {
        if (Objects.checkIndex(index, count) < settled) {
            throw new IllegalStateException("packet " + index + " of the run is settled");
        }
        verdicts[index] = Objects.requireNonNull(verdict, "the handler gave no verdict");
    }

    @Override
    public void settle(int index) {
        Objects.checkIndex(index + 1, count + 1);
        while (settled <= index) {
            Packet packet = packets.get(settled);
            settler.accept(packet, verdicts[settled++]);
        }
    }

    /** The call is over. */
    void settleAll() {
        settle(count - 1);
    }

    /** The call has failed: one treatment for everything that it has not settled. */
    void settleAll(Consumer<Packet> instead) {
        while (settled < count) {
            instead.accept(packets.get(settled++));
        }
    }

    /** Gives the packets back. */
    void clear() {
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        Arrays.fill(verdicts, 0, count, null);
        count = 0;
        octets = 0;
        settled = 0;
    }
}
