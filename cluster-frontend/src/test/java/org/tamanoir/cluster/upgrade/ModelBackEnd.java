package org.tamanoir.cluster.upgrade;

import java.util.List;
import java.util.Random;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Outcome.State;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Order;

/** A back end that carries orders out in its own time, unless something is wrong with it. */
final class ModelBackEnd {
    static final long SECOND = 1_000_000_000L;
    static final String OLD = "1.0.0";
    static final String NEW = "1.1.0";

    /** What goes wrong, when it has an order, or by itself. */
    enum Fault {
        NONE, DIES, RESTARTS, REFUSES, HANGS, KNOWS_NO_ORDERS, GOES_BACK, DIES_BY_ITSELF, LEAVES_BY_ITSELF
    }

    final String name;
    final String pool;
    final Fault fault;
    private final Random random;
    /** Null for a service that has not been loaded. */
    String version;
    boolean alive = true;
    int instance = 1;
    /** When it last took new streams. */
    long served;
    /** Its order's. */
    boolean away;
    boolean leaves;
    boolean restarted;
    long died;
    private long sequence;
    private Order order;
    private State state;
    private long until;
    private long faultAt;
    private long backAt;
    /** A check takes its time to see that it is back. */
    private long checked;
    /** Never two reports in a row are lost. */
    boolean lost;

    ModelBackEnd(String name, String pool, Fault fault, String version, Random random, long now) {
        this.name = name;
        this.pool = pool;
        this.fault = fault;
        this.version = version;
        this.random = random;
        this.served = now;
        this.checked = now;
        this.faultAt = now + random.nextInt(60) * SECOND;
    }

    /** Whether it answers the director's check. */
    boolean isWell(long now) {
        return alive && now - checked >= 0;
    }

    private boolean takesStreams(long now) {
        return isWell(now) && !away && !leaves;
    }

    Report report() {
        Outcome outcome = order == null ? null : new Outcome(order.id(), state, version, 0, state == State.FAILED ? "EE-407 no source has it" : null);
        return new Report(name, String.format("%08x%08x", name.hashCode(), instance), ++sequence, "10.0.0." + name.substring(1), 3322, 3381, pool,
                away || leaves ? Report.State.LEAVING : Report.State.SERVING,
                version == null ? List.of() : List.of(new Service("teller", 0x5510, version, "middle", Affinity.NONE)), new Load(1, 0, 0, 1000, 0.1), outcome);
    }

    /** An answer of the front-end. */
    void hears(Order wanted, long now) {
        if (wanted != null && fault != Fault.KNOWS_NO_ORDERS && (order == null || !order.id().equals(wanted.id()))) {
            order = wanted;
            state = State.WAITING;
            until = now + random.nextInt(3) * SECOND;
            faultAt = now + random.nextInt(8) * SECOND;
        }
    }

    void step(long now) {
        if (!alive) {
            if (fault == Fault.RESTARTS && now - backAt >= 0) {
                alive = true;
                instance++;
            }
            return;
        }
        boolean busy = order != null && !state.isEnd();
        boolean dies = fault == Fault.DIES || fault == Fault.RESTARTS && !restarted;
        if (fault == Fault.DIES_BY_ITSELF && now - faultAt >= 0 || busy && dies && (now - faultAt >= 0 || state == State.UPGRADING && now - until >= 0)) {
            restarted = fault == Fault.RESTARTS;
            backAt = now + random.nextInt(3) * SECOND / 2;
            alive = false;
            died = now;
            away = false;
            order = null;
            return;
        }
        leaves = fault == Fault.LEAVES_BY_ITSELF && now - faultAt >= 0;
        if (busy && fault != Fault.HANGS && now - until >= 0) {
            goOn(now);
        } else if (fault == Fault.GOES_BACK && order != null && state == State.DONE && now - until >= 0) {
            version = OLD;
        }
        served = takesStreams(now) ? now : served;
    }

    private void goOn(long now) {
        if (state == State.WAITING) {
            boolean refuses = fault == Fault.REFUSES;
            boolean nothing = !refuses && NEW.equals(version);
            away = !refuses && !nothing && order.drainMillis() > 0;
            state = refuses ? State.FAILED : nothing ? State.DONE : away ? State.DRAINING : State.UPGRADING;
            until = now + Math.min(order.drainMillis() / 1000, random.nextInt(40)) * SECOND;
        } else if (state == State.DRAINING) {
            state = State.UPGRADING;
            until = now + random.nextInt(8) * SECOND;
        } else {
            version = NEW;
            checked = away ? now + random.nextInt(10) * SECOND : checked;
            away = false;
            state = State.DONE;
            until = now + (5 + random.nextInt(20)) * SECOND;
        }
    }
}
