package org.tamanoir.wasm.stream;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.wasm.engine.LinearMemory;

/** A module on one stream: copies runs of packets into its memory, and does what it says. */
final class ModuleHandler implements RunHandler {
    private static final Verdict DROPPED = Verdict.drop("module");
    private static final int ONWARD = 0;
    private static final int BACK = 1;
    /** Packets begin at multiples of this. */
    private static final int ALIGNMENT = 8;
    private static final int DROP = 1;

    private final Supplier<StreamModule> start;
    private StreamModule module;
    private long packets;
    /** The last packet of the run that has gone on in front of what was emitted. */
    private int settled = -1;

    /** @param start makes the instance when the first packet is there: on a thread on which modules may run, as that of the event loop is not */
    ModuleHandler(Supplier<StreamModule> start) {
        this.start = start;
    }

    private void begin() {
        if (module == null) {
            module = start.get();
            // One area is enough for every run but a single large packet.
            module.area(Run.MOST_OCTETS);
        }
    }

    @Override
    public void onRun(Run run, Output out) {
        show(run, out, ONWARD);
    }

    @Override
    public void onReturnRun(Run run, Output out) {
        show(run, out, BACK);
    }

    private void show(Run run, Output out, int direction) {
        begin();
        int count = run.count();
        packets += count;
        write(run);
        module.run(direction, count, out.isWritable());
        emit(run, out);
        for (int i = 0; i < count; i++) {
            judge(run, i);
        }
    }

    private void write(Run run) {
        int octets = 0;
        for (int i = 0; i < run.count(); i++) {
            octets += aligned(run.packet(i).length());
        }
        int area = module.area(octets);
        LinearMemory memory = module.memory();
        int at = StreamModule.TABLE;
        long came = 0;
        for (int i = 0; i < run.count(); i++) {
            Packet packet = run.packet(i);
            memory.putRecord(area + i * StreamModule.RECORD, at, packet.length(), packet.headerLength(), 0);
            memory.copyFrom(packet.buffer(), packet.offset(), area + at, packet.length());
            at += aligned(packet.length());
            came += packet.length();
        }
        module.emissions().came(came);
    }

    private static int aligned(int length) {
        return length + ALIGNMENT - 1 & -ALIGNMENT;
    }

    private void judge(Run run, int index) {
        int verdict = module.verdict(index);
        if (verdict != 0 && index > settled) {
            run.verdict(index, verdict == DROP ? DROPPED : Verdict.TAKEN);
        }
    }

    private void emit(Run run, Output out) {
        settled = -1;
        Emissions emissions = module.emissions();
        for (int i = 0; i < emissions.count(); i++) {
            int index = emissions.index(i);
            if (run != null && index > settled) {
                for (int packet = settled + 1; packet <= index; packet++) {
                    judge(run, packet);
                }
                run.settle(index);
                settled = index;
            }
            int length = emissions.length(i);
            ByteBuf payload = out.allocator().buffer(Math.max(1, length));
            out.emitPayload(payload.writeBytes(emissions.octets(), emissions.from(i), length));
        }
        emissions.clear();
    }

    @Override
    public void onEnd(Output out) {
        end(ONWARD, out);
    }

    @Override
    public void onReturnEnd(Output out) {
        end(BACK, out);
    }

    private void end(int direction, Output out) {
        begin();
        module.end(direction, out.isWritable());
        emit(null, out);
    }

    @Override
    public Map<String, Object> report() {
        return module == null ? Map.of("packets", packets) : Map.of("packets", packets, "memory", module.memoryOctets(), "emitted", module.emissions().emitted());
    }

    @Override
    public void close() {
        if (module != null) {
            module.close();
        }
    }
}
