package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.service.Run;
import org.tamanoir.service.Verdict;

/**
 * The packets of one read that a {@link org.tamanoir.service.RunHandler} is given together: those that came one by one and are kept meanwhile, or a
 * run of plain ones as the reader found it, or a single one. Views and lists are used again and again.
 */
final class GatheredRun implements Run {
    private final BiConsumer<Packet, Verdict> settler;
    private final Packet.Keeper keeper;
    private final boolean gathers;
    private final List<Packet> packets = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();
    /** Buffers that packets lie in, a reference of each; a run of plain ones is only lent. */
    private final List<ByteBuf> buffers = new ArrayList<>();
    private PacketRun plain;
    private Packet single;
    private int count;
    private int octets;
    /** How many of {@link #packets} stand where they belong. */
    private int views;
    private int settled;

    /**
     * @param gathers whether packets that come one by one wait for more
     * @param settler does with a packet what its verdict says
     */
    GatheredRun(boolean gathers, Packet.Keeper keeper, BiConsumer<Packet, Verdict> settler) {
        this.gathers = gathers;
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

    /**
     * Takes a packet: one that waits for more is kept until {@link #clear}, another is only lent.
     *
     * @return whether it waits for more
     */
    boolean add(Packet packet) {
        if (!gathers) {
            single = packet.keptBy(keeper);
            count = 1;
            octets = packet.length();
            return false;
        }
        ByteBuf buffer = packet.buffer();
        if (buffers.isEmpty() || buffers.get(buffers.size() - 1) != buffer) {
            buffers.add(buffer.retain());
        }
        view(count).wrap(buffer, packet.offset(), packet.length()).receivedNanos(packet.receivedNanos()).codePoint(packet.codePoint());
        views = ++count;
        octets += packet.length();
        return true;
    }

    /** Is that run until {@link #clear}, within the call that lends it. Only while it {@link #isEmpty}. */
    void take(PacketRun run) {
        plain = run;
        count = run.count();
        octets = run.length();
    }

    private Packet view(int index) {
        if (index == packets.size()) {
            packets.add(new Packet().keptBy(keeper));
        }
        return packets.get(index);
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public Packet packet(int index) {
        Objects.checkIndex(index, count);
        if (single != null) {
            return single;
        }
        for (; views <= index; views++) {
            plain.packet(views, view(views));
        }
        return packets.get(index);
    }

    @Override
    public int length() {
        return octets;
    }

    @Override
    public boolean isUniform() {
        return plain != null && plain.isUniform();
    }

    @Override
    public void verdict(int index, Verdict verdict) {
        if (Objects.checkIndex(index, count) < settled) {
            throw new IllegalStateException("packet " + index + " of the run is settled");
        }
        Objects.requireNonNull(verdict, "the handler gave no verdict");
        while (verdicts.size() <= index) {
            verdicts.add(Verdict.PASS);
        }
        verdicts.set(index, verdict);
    }

    @Override
    public void settle(int index) {
        Objects.checkIndex(index + 1, count + 1);
        while (settled <= index) {
            int next = settled++;
            settler.accept(packet(next), next < verdicts.size() ? verdicts.get(next) : Verdict.PASS);
        }
    }

    /** The call is over. @return the run that passes as a whole, for who goes on with it; null if each packet has been settled */
    PacketRun settleAll() {
        if (plain != null && settled == 0 && verdicts.isEmpty()) {
            settled = count;
            return plain;
        }
        settle(count - 1);
        return null;
    }

    /** The call has failed: one treatment for everything that it has not settled. */
    void settleAll(Consumer<Packet> instead) {
        while (settled < count) {
            instead.accept(packet(settled++));
        }
    }

    /** Gives the packets back. */
    void clear() {
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        verdicts.clear();
        plain = null;
        single = null;
        count = 0;
        octets = 0;
        views = 0;
        settled = 0;
    }
}
