package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.tcpstate.StreamTimes;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Output;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;

/**
 * One service in one direction of a stream: shows each packet to the handler and does what the verdict says. What the handler emits goes
 * to the next stage at once, so the order holds. Error packets toward the source pass
 * unseen, as few and as small as such packets are, and what the ends of a session say to each other does in its place among the packets.
 */
final class HandlerStage extends Stage {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerStage.class);
    private static final Verdict FAILED = Verdict.drop("service-failed");
    private static final Verdict NO_ERROR = Verdict.drop("error-packet");
    private static final Verdict AFTER_END = Verdict.drop("after-end");
    /** Error packets that may pass in a second. */
    private static final int MOST_ERRORS = 8;
    private static final long SECOND = 1_000_000_000;

    /** What only a defect brings about, although it has a code of its own. */
    private static final Set<ErrorCode> DEFECTS = EnumSet.of(ErrorCode.SERVICE_BAD_OUTPUT, ErrorCode.SERVICE_LIMIT, ErrorCode.MODULE_TRAPPED, ErrorCode.MODULE_TOO_SLOW,
            ErrorCode.MODULE_FORBIDDEN);

    private final OpenHandler opened;
    private final RunningService service;
    private final StreamHandler handler;
    private final boolean back;
    private final boolean resumes;
    private final FlowControl flow;
    private final StageOutput out;
    private final Packet.Keeper keeper;
    private final StreamTimes times;
    private ServiceWatch.Mark mark;
    private final Packet stated = new Packet();
    /** For a handler of runs; null for the others. */
    private final RunHandler runs;
    private final GatheredRun run;
    private final Consumer<Packet> instead = packet -> without(false, packet);
    private boolean runSampled;
    private long packets;
    private int errors;
    private long errorsSince;

    /**
     * @param back whether this is the direction to the source
     * @param mark of the thread that will call; {@link #runOn} changes it
     */
    HandlerStage(OpenHandler opened, boolean back, StreamInfo stream, Stage next, FlowControl flow, LoopMemory memory, ServiceWatch.Mark mark) {
        super(next);
        this.opened = opened;
        this.service = opened.service();
        this.handler = opened.handler();
        this.runs = handler instanceof RunHandler takesRuns ? takesRuns : null;
        this.back = back;
        this.resumes = stream.resume() != null;
        this.flow = flow;
        this.mark = mark;
        this.keeper = service.keeper();
        this.times = flow.times();
        this.out = new StageOutput(service, stream, this, flow, memory);
        this.run = runs == null ? null : new GatheredRun(runs.gathers(), keeper, this::settle);
    }

    /** The next calls come on another thread. */
    void runOn(ServiceWatch.Mark ofThread) {
        this.mark = ofThread;
    }

    @Override
    public void packet(Packet packet) {
        boolean isError = packet.typeId() == Anep.TYPE_ERROR;
        if (isError && !isPlausible(packet)) {
            service.dropped(NO_ERROR);
            return;
        }
        boolean unseen = isError || resumes && packet.isMark() || back && packet.isConnected();
        if (unseen || run != null && !run.takes(packet)) {
            endRun();
        }
        if (opened.hasFailed() || isCut()) {
            without(unseen, packet);
            return;
        }
        if (unseen && !isError && opened.checkpoints() != null && packet.isMark()) {
            checkpoint(packet);
            return;
        }
        if (unseen) {
            next().packet(packet);
            return;
        }
        if (out.hasFinished()) {
            service.dropped(AFTER_END);
            return;
        }
        if (!optionsAreGood(packet)) {
            return;
        }
        boolean sampled = packets++ == 0 && begins(packet);
        if (run != null) {
            runSampled |= sampled;
            if (!run.add(packet)) {
                endRun();
            }
            return;
        }
        packet.keptBy(keeper);
        int came = out.begin(packet);
        Verdict verdict;
        long began = sampled ? System.nanoTime() : 0;
        mark.enter(service);
        try {
            verdict = back ? handler.onReturn(packet, out) : handler.onPacket(packet, out);
        } catch (Throwable error) {
            mark.leave();
            failOn(error, packet);
            return;
        }
        mark.leave();
        if (sampled) {
            mark.took(service, System.nanoTime() - began);
        }
        if (mark.wasStopped()) {
            failOn(null, packet);
        } else if (verdict == null) {
            failOn(new NullPointerException("the handler returned no verdict"), packet);
        } else {
            settle(packet.codePoint(came), verdict);
        }
        passFinished();
    }

    @Override
    public void packets(PacketRun packets) {
        if (run == null || opened.hasFailed() || isCut() || out.hasFinished()) {
            super.packets(packets);
            return;
        }
        endRun();
        runSampled = this.packets == 0 && begins(packets.first());
        this.packets += packets.count();
        run.take(packets);
        endRun();
    }

    @Override
    public boolean takesRuns() {
        return run != null && next().takesRuns();
    }

    private void settle(Packet packet, Verdict verdict) {
        if (verdict == Verdict.PASS) {
            next().packet(packet.codePoint(out.codePoint(packet.codePoint())));
        } else if (verdict != Verdict.TAKEN) {
            service.dropped(verdict);
        }
    }

    private void passFinished() {
        if (out.isFinishing()) {
            flush();
            passEnd();
        }
    }

    /** Shows a handler of runs what has been gathered for it, before anything else happens in this direction. */
    private void endRun() {
        if (run == null || run.isEmpty()) {
            return;
        }
        try {
            if (!opened.hasFailed() && !isCut()) {
                callWithRun();
            }
            run.settleAll(instead);
        } finally {
            run.clear();
        }
        passFinished();
    }

    private void callWithRun() {
        Packet first = run.packet(0);
        int came = out.begin(first);
        boolean failed = true;
        Throwable error = null;
        long began = runSampled ? System.nanoTime() : 0;
        mark.enter(service);
        try {
            if (back) {
                runs.onReturnRun(run, out);
            } else {
                runs.onRun(run, out);
            }
            failed = false;
        } catch (Throwable e) {
            error = e;
        }
        mark.leave();
        if (runSampled) {
            mark.took(service, (System.nanoTime() - began) / run.count());
            runSampled = false;
        }
        if (failed || mark.wasStopped()) {
            fail(error);
        } else {
            PacketRun whole = run.settleAll();
            if (whole != null) {
                next().packets(whole.of(first.receivedNanos(), out.codePoint(came)));
            }
        }
    }

    /** Whether the service is to be called no more, however much of a read is left: then the stream ends. */
    private boolean isCut() {
        AnepException why = service.cut();
        if (why != null) {
            opened.failed(null);
            flow.failed(why);
        }
        return why != null;
    }

    /** The first packet of a read. @return whether the time of its call is taken */
    private boolean begins(Packet packet) {
        if (times != null) {
            times.enter(packet.receivedNanos());
        }
        return mark.isSampled();
    }

    /** What the ends say to each other goes on with what the handler knows, or without what it has been given back. */
    private void checkpoint(Packet packet) {
        ByteBuf goesOn = null;
        Throwable error = null;
        out.begin(packet);
        mark.enter(service);
        try {
            packet.checkOptions();
            goesOn = opened.checkpoints().passed(packet, back, out);
        } catch (Throwable e) {
            error = e;
        } finally {
            mark.leave();
        }
        try {
            if (mark.wasStopped() || error != null) {
                fail(error);
            } else {
                stated.wrap(goesOn, goesOn.readerIndex(), goesOn.readableBytes());
                next().packet(stated.receivedNanos(packet.receivedNanos()).codePoint(packet.codePoint()));
            }
        } finally {
            if (goesOn != null) {
                goesOn.release();
            }
        }
    }

    /** Whether it says that something failed, and nothing else: a service must not be got around by the Type ID of errors. */
    private boolean isPlausible(Packet error) {
        if (error.receivedNanos() - errorsSince > SECOND) {
            errorsSince = error.receivedNanos();
            errors = 0;
        }
        return back && error.payloadLength() == 0 && ++errors <= MOST_ERRORS;
    }

    private boolean optionsAreGood(Packet packet) {
        try {
            packet.checkOptions();
            return true;
        } catch (MalformedPacketException e) {
            opened.failed(null);
            flow.failed(e);
            return false;
        }
    }

    /** The packet in hand goes the way of those after it. */
    private void failOn(Throwable error, Packet packet) {
        fail(error);
        without(false, packet);
    }

    /** What a packet does where the handler has failed: nothing if the stream ends, otherwise what the policy says. */
    private void without(boolean unseen, Packet packet) {
        if (opened.instead() == FailurePolicy.BYPASS || opened.instead() != null && unseen) {
            next().packet(packet);
        } else if (opened.instead() == FailurePolicy.DROP) {
            service.dropped(FAILED);
        }
    }

    private void fail(Throwable error) {
        service.error();
        AnepException why = reason(error);
        FailurePolicy policy = service.policy().onFailure();
        boolean defect = isDefect(error, why);
        if (defect) {
            service.failed(why);
        }
        if (defect && policy != FailurePolicy.RESTART) {
            opened.failed(policy);
            LOG.warn("a stream goes on without {} ({}): {}", service, policy.word(), why.getMessage(), error);
        } else {
            if (defect) {
                LOG.warn("a stream ends: {}", why.getMessage(), error);
            }
            opened.failed(null);
            flow.failed(why);
        }
    }

    private AnepException reason(Throwable error) {
        if (mark.wasStopped() || error == null) {
            return new AnepException(ErrorCode.SERVICE_TIMEOUT, service + " did not return in time", error);
        }
        return error instanceof AnepException known ? known
                : new AnepException(ErrorCode.SERVICE_ERROR, service + " failed: " + error, error);
    }

    /** What a service refuses with a code of its own choice is the packet's fault, not the service's. */
    private static boolean isDefect(Throwable error, AnepException why) {
        return error != why || DEFECTS.contains(why.code());
    }

    @Override
    public void flush() {
        endRun();
        if (packets > 0) {
            service.packets(packets);
            packets = 0;
            left();
        }
        next().flush();
        if (out.wantsRoom()) {
            tellRoom();
        }
    }

    /** There may be room again: the handler is told in a call of its own if it waits for that. On any thread. */
    void tellRoom() {
        if (out.takesRoom()) {
            opened.tasks().tell((forward, backward) -> writable(back ? backward : forward));
        }
    }

    private void writable(Output way) throws Exception {
        if (out.isOver()) {
            return;
        }
        if (back) {
            handler.onReturnWritable(way);
        } else {
            handler.onWritable(way);
        }
    }

    private void left() {
        if (times != null) {
            times.leave();
        }
    }

    @Override
    public void end() {
        endRun();
        if (opened.hasFailed()) {
            endWithout();
            return;
        }
        if (out.hasFinished()) {
            return;
        }
        out.beginEnd();
        mark.enter(service);
        try {
            if (back) {
                handler.onReturnEnd(out);
            } else {
                handler.onEnd(out);
            }
        } catch (Throwable error) {
            mark.leave();
            failAtEnd(error);
            return;
        }
        mark.leave();
        if (mark.wasStopped()) {
            failAtEnd(null);
            return;
        }
        flush();
        passEnd();
    }

    private void failAtEnd(Throwable error) {
        fail(error);
        endWithout();
    }

    /** Lets an end go on that the handler has been told of and does not keep back. */
    private void passEnd() {
        if (!opened.hasFailed() && out.mayEnd()) {
            next().end();
        }
    }

    /**
     * Runs a task of the handler, in place of a packet.
     *
     * @param other the stage of the same handler in the other direction
     */
    void task(HandlerTasks.Entry entry, HandlerStage other) {
        endRun();
        other.endRun();
        Task task = opened.hasFailed() || isCut() ? null : entry.take();
        if (task == null) {
            return;
        }
        out.beginTask();
        other.out.beginTask();
        if (times != null) {
            times.enter(System.nanoTime());
        }
        mark.enter(service);
        try {
            task.run(back ? other.out : out, back ? out : other.out);
        } catch (Throwable error) {
            mark.leave();
            left();
            failIn(error, other);
            return;
        }
        mark.leave();
        left();
        if (mark.wasStopped()) {
            failIn(null, other);
            return;
        }
        flush();
        other.flush();
        out.remark();
        other.out.remark();
        passEnd();
        other.passEnd();
    }

    @Override
    public void mark(int codePoint) {
        next().mark(out.codePoint(codePoint));
    }

    /** A task has failed; an end that the handler keeps back would never go on. */
    private void failIn(Throwable error, HandlerStage other) {
        fail(error);
        endHeld();
        other.endHeld();
    }

    private void endHeld() {
        if (out.isEnding()) {
            endWithout();
        }
    }

    /** The direction ends where the handler has failed. */
    private void endWithout() {
        if (opened.instead() != null && out.endAnyway()) {
            flush();
            next().end();
        }
    }
}
