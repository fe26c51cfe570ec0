package org.tamanoir.service.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Run;
import org.tamanoir.service.Verdict;

/** Packets that are lent together for one call; those that pass go to the output when they are settled. */
final class LentRun implements Run {
    private final List<LentPacket> packets;
    private final List<Verdict> verdicts = new ArrayList<>();
    private final CollectingOutput out;
    private int settled;

    LentRun(List<LentPacket> packets, CollectingOutput out) {
        this.packets = packets;
        this.out = out;
        packets.forEach(each -> verdicts.add(Verdict.PASS));
    }

    @Override
    public int count() {
        return packets.size();
    }

    @Override
    public Packet packet(int index) {
        return packets.get(index).view();
    }

    @Override
    public boolean isUniform() {
        Packet first = packet(0);
        return packets.stream().map(LentPacket::view).allMatch(each -> !each.hasOptions() && each.flags() == first.flags() && each.typeId() == first.typeId()
                && each.length() == first.length() && each.receivedNanos() == first.receivedNanos());
    }

    @Override
    public void verdict(int index, Verdict verdict) {
        if (Objects.checkIndex(index, count()) < settled) {
            throw new ContractViolation("a verdict on packet " + index + " of a run, which has gone on");
        }
        if (verdict == null) {
            throw new ContractViolation("the handler gave no verdict");
        }
        verdicts.set(index, verdict);
    }

    @Override
    public void settle(int index) {
        Objects.checkIndex(index + 1, count() + 1);
        for (; settled <= index; settled++) {
            if (verdicts.get(settled) == Verdict.PASS) {
                out.add(packets.get(settled).copy());
            }
        }
    }

    /** The call is over. @return the verdict on the last packet */
    Verdict end() {
        settle(count() - 1);
        return verdicts.get(count() - 1);
    }
}
