package org.tamanoir.node.tuning;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongSupplier;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.paths.verdict.TcpState;

/** One leg for as long as it carries one stream: gets what its rule says, and tells what came of it. On the loop of the leg. */
public final class TunedLeg {
    /** A leg that lives long says something so often. */
    static final long LOOK_NANOS = 5_000_000_000L;

    private final Tuning tuning;
    private final TcpLeg leg;
    private final LongSupplier pausedNanos;
    private int turn = -1;
    private RuleState rule;
    private RuleState.Given given;
    private TcpState first;
    private TcpState last;
    private long firstNanos;
    private long lastNanos;
    private long firstPaused;
    private long lastPaused;
    /** The name of the rule of which the kernel does what it says; null for none. Others read it, who list streams. */
    private volatile String has;
    private boolean spoke;

    /** @param pausedNanos how long the node has made the other side wait because this leg took no more */
    public TunedLeg(Tuning tuning, TcpLeg leg, LongSupplier pausedNanos) {
        this.tuning = tuning;
        this.leg = leg;
        this.pausedNanos = pausedNanos;
    }

    public TcpLeg leg() {
        return leg;
    }

    /** Whether rules have changed since it asked. */
    public boolean isStale() {
        return turn != tuning.turn();
    }

    /** Asks for its rule: when it begins, when something of it has changed, and when rules have. */
    public void match(LegFacts facts) {
        turn = tuning.turn();
        RuleState found = tuning.find(facts);
        if (found == rule && (found == null || found.turn() == given.turn())) {
            return;
        }
        speak();
        rule = found;
        given = found == null ? null : found.next();
        boolean gets = given != null && given.tuned();
        String problem = leg.tune(gets ? found.rule().tuning() : SocketTuning.NONE);
        has = gets && problem == null ? found.rule().name() : null;
        if (gets && problem != null) {
            tuning.tell(found.refused(problem));
        }
        first = given != null && given.voice() != null ? read() : null;
        firstNanos = System.nanoTime();
        firstPaused = pausedNanos.getAsLong();
        last = null;
    }

    /** The name of the rule that it has; null for none. */
    public String rule() {
        return has;
    }

    /** Notes what the kernel says now; once a leg is closed it says nothing. */
    public void look() {
        TcpState now = first == null ? null : read();
        if (now != null) {
            last = now;
            lastNanos = System.nanoTime();
            lastPaused = pausedNanos.getAsLong();
        }
    }

    /** Time has passed. */
    public void tick() {
        if (first != null && System.nanoTime() - Math.max(firstNanos, lastNanos) >= LOOK_NANOS) {
            look();
            speak();
        }
    }

    /** Its stream is over. A leg whose figures count carries no other one: its window would be that of a leg of the other side. */
    public void ended() {
        look();
        speak();
        if (spoke) {
            leg.lastStream();
        }
    }

    private void speak() {
        LegSample said = last == null ? null : LegSample.of(first, last, (lastPaused - firstPaused) / 1_000, (lastNanos - firstNanos) / 1_000);
        if (said != null) {
            spoke = true;
            tuning.heard(rule, given, said);
        }
    }

    private TcpState read() {
        byte[] octets = new byte[TcpState.MOST_OCTETS];
        return leg.readTcpInfo(ByteBuffer.wrap(octets)) ? TcpState.decode(octets, ByteOrder.nativeOrder()) : null;
    }
}
