package org.tamanoir.dyram.hop;

import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.hop.MissingPacket.Phase;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.SessionTerms;
import org.tamanoir.dyram.wire.Stall;

/**
 * What one place does about the packets that its links miss: finds gaps, gathers requests, elects a link that repairs, or asks above. Everything
 * that {@link Hop} says of losses is decided here.
 */
final class LossRecovery {
    /** Elections for one packet before it is asked for above in any case. */
    private static final int MOST_ROUNDS = 8;
    /** Each further request for one packet waits longer, up to some times the first wait. */
    private static final double BACK_OFF = 1.25;
    private static final double MOST_BACK_OFF = 8;
    private static final long MARGIN = Link.MARGIN;

    private final HopSettings settings;
    private final long session;
    private final SessionTerms terms;
    private final Upstream above;
    private final Outlet outlet;
    private final HopCounters counters;
    private final LinkTable links;
    private final HeldPackets held;
    private final Fanout fanout;
    private final Repliers repliers;
    private final LossTable losses;
    private final Stall stall = new Stall();
    private final ResponseTime fromAbove = new ResponseTime();
    private final HeardNotices heard = new HeardNotices();
    private final double packetsPerSecond;
    /** The packet after the last that came from above; -1 before anything is known. */
    private long next = -1;

    LossRecovery(HopSettings settings, long session, SessionTerms terms, LinkTable links, HeldPackets held, Fanout fanout, Upstream above,
                 Outlet outlet, HopCounters counters) {
        this.settings = settings;
        this.session = session;
        this.terms = terms;
        this.above = above;
        this.outlet = outlet;
        this.counters = counters;
        this.links = links;
        this.held = held;
        this.fanout = fanout;
        this.repliers = new Repliers(settings, terms, links);
        this.losses = new LossTable(settings.mostLosses(), counters);
        this.packetsPerSecond = terms.rate() / 8.0 / terms.packetSize();
    }

    /** The packet after the last that is known to have been sent; 0 before anything is known. */
    long next() {
        return Math.max(0, next);
    }

    /** A link has everything before this packet, however it came there. */
    void ordered(Link link, long ordered) {
        for (MissingPacket loss : losses.all()) {
            if (loss.index < ordered && loss.phase != Phase.SERVED && loss.lacking.get(link.slot)) {
                loss.lacking.clear(link.slot);
                if (loss.lacking.isEmpty() && !loss.wantedAbove) {
                    losses.free(loss);
                }
            }
        }
    }

    /** A link is gone. */
    void removed(Link link) {
        for (MissingPacket loss : losses.all()) {
            loss.asked.clear(link.slot);
            loss.served.clear(link.slot);
            boolean lacked = loss.lacking.get(link.slot);
            loss.lacking.clear(link.slot);
            if (loss.phase == Phase.ASKED && loss.elected == link.slot) {
                losses.wakeAt(loss, 0);
            } else if (lacked && loss.lacking.isEmpty() && !loss.wantedAbove) {
                losses.free(loss);
            }
        }
    }

    // From above.

    /** All packets before this one have been sent by the source; what was not seen of them here is lost. */
    void sent(long now, long nextIndex) {
        if (next < 0) {
            next = nextIndex;
        } else if (nextIndex > next) {
            gap(now, nextIndex);
            next = nextIndex;
        }
    }

    /**
     * A packet from above.
     *
     * @return copies of it that were sent
     */
    int data(long now, Data data) {
        long index = terms.index(data.sequence());
        if (data.repair()) {
            counters.increment(Count.REPAIRS_FROM_ABOVE);
            if (seen(now, index) && losses.get(index) == null) {
                int copies = fanout.toAll(data, held.lacking(index));
                counters.add(Count.REPAIR_COPIES, copies);
                return copies;
            }
            return repair(now, data, index, null);
        }
        if (next >= 0 && index > next) {
            gap(now, index);
        }
        next = Math.max(next, index + 1);
        MissingPacket late = losses.get(index);
        if (late != null && !late.wantedAbove) {
            losses.free(late);
        }
        counters.increment(Count.DATA);
        int copies = fanout.toAll(data, held.lacking(index));
        counters.add(Count.COPIES, copies);
        return copies;
    }

    /** A packet is known to have been sent. @return whether it is the news of it: nobody below can have it */
    private boolean seen(long now, long index) {
        if (next < 0 || index < next) {
            return false;
        }
        gap(now, index);
        next = index + 1;
        return true;
    }

    private void gap(long now, long to) {
        if (!settings.detect() || above.isHere()) {
            return;
        }
        for (long index = Math.max(next, to - settings.mostLosses()); index < to; index++) {
            if (losses.get(index) == null && !held.isHeldByAll(index)) {
                MissingPacket loss = losses.add(now, index, Phase.DETECTED);
                if (loss == null) {
                    return;
                }
                losses.wakeAt(loss, now + settings.reorder().toNanos());
            }
        }
    }

    /** What lies above has asked for these packets already, and they come within the time: nobody here has to ask. */
    void heard(long now, Losses asked, long within) {
        counters.add(Count.REFUSED, terms.each(asked, (index, rank) -> {
            MissingPacket loss = losses.get(index);
            if (loss == null) {
                loss = losses.add(now, index, Phase.ABOVE);
            }
            if (loss != null && (loss.phase == Phase.ABOVE || loss.phase == Phase.DETECTED)) {
                loss.phase = Phase.ABOVE;
                loss.lacking.or(held.lacking(index));
                losses.wakeAt(loss, now + within + MARGIN);
                heard.add(terms.sequence(index), rank, within);
            }
            seen(now, index);
        }));
    }

    /** What lies above asks for these packets: some host below may have them. */
    void requested(long now, Losses wanted) {
        counters.add(Count.REFUSED, terms.each(wanted, (index, rank) -> {
            MissingPacket loss = losses.get(index);
            if (loss == null) {
                loss = losses.add(now, index, Phase.DECIDING);
                if (loss == null) {
                    return;
                }
            }
            if (loss.phase == Phase.ABOVE && !loss.lacking.isEmpty() || loss.phase != Phase.SERVED && lackedByAll(loss)) {
                // It is missing here too, and above does not know yet. It asks, so this is no sign that it does not hear.
                int asked = loss.rank;
                int asks = loss.asks;
                askAbove(now, loss);
                loss.rank = asked;
                loss.asks = asks == 0 ? 1 : Math.max(asks, 2);
                return;
            }
            loss.wantedAbove = true;
            if (loss.phase == Phase.SERVED) {
                loss.lacking.clear();
            }
            if (loss.phase == Phase.ABOVE) {
                loss.electAnew();
                loss.asks = 0;
            }
            if (loss.phase != Phase.ASKED) {
                decide(now, loss);
            }
        }));
    }

    // From links.

    /** A link misses packets. */
    void nack(long now, Link link, Losses missing) {
        counters.increment(Count.NACKS);
        counters.add(Count.NACKED, missing.packets());
        for (Losses.Range range : missing.ranges()) {
            long first = terms.index(range.first());
            // Nobody can miss what was not sent, and what it may not ask for costs nothing: a packet has room for millions.
            long known = terms.contains(range) ? Math.max(0, Math.min(range.count(), next - first)) : 0;
            if (known < range.count()) {
                counters.refused();
            }
            for (long i = 0; i < known; i++) {
                if (!link.mayAsk(now, packetsPerSecond)) {
                    counters.add(Count.OVER_BUDGET, known - i);
                    break;
                }
                nack(now, link, first + i, range.rank());
            }
        }
    }

    private void nack(long now, Link link, long index, int rank) {
        MissingPacket loss = losses.get(index);
        if (loss == null) {
            loss = losses.add(now, index, Phase.DECIDING);
            if (loss == null) {
                return;
            }
        } else if (mayCross(now, loss, link)) {
            counters.increment(Count.SUPPRESSED);
            return;
        } else if (loss.phase == Phase.SERVED) {
            loss.lacking.clear();
            loss.electAnew();
            loss.phase = Phase.DECIDING;
            loss.since = now;
            loss.deadline = Long.MAX_VALUE;
        } else if (loss.lacking.get(link.slot)) {
            repeated(now, loss, link, rank);
            return;
        }
        loss.lacking.set(link.slot);
        loss.rank = Math.max(loss.rank, rank);
        if (!settings.aggregate()) {
            askAbove(now, loss);
        } else if (loss.phase == Phase.ASKED && loss.elected == link.slot) {
            decide(now, loss);
        } else if (loss.phase == Phase.DECIDING || loss.phase == Phase.DETECTED) {
            if (lackedByAll(loss) || !isWorthWaiting()) {
                decide(now, loss);
            } else if (loss.deadline == Long.MAX_VALUE) {
                losses.wakeAt(loss, now + repliers.delayToDecide());
            }
        }
    }

    /** Whether a link was sent the packet so lately that what it asks crosses it, also where others have opened the loss again meanwhile. */
    private static boolean mayCross(long now, MissingPacket loss, Link link) {
        return loss.served.get(link.slot) && now - loss.servedAt[link.slot] < link.crossing();
    }

    /** A request that says nothing new. Without a timer of its own the node takes it as the sign that its replier is dead. */
    private void repeated(long now, MissingPacket loss, Link link, int rank) {
        counters.increment(Count.SUPPRESSED);
        if (!settings.aggregate()) {
            above.ask(loss.index, rank);
        } else if (!settings.repairTimer() && rank > loss.rank) {
            loss.rank = rank;
            if (loss.phase == Phase.ASKED) {
                decide(now, loss);
            } else if (loss.phase == Phase.ABOVE) {
                askAbove(now, loss);
            }
        }
    }

    /**
     * A link has repaired a packet.
     *
     * @return whether it was asked to
     */
    boolean repairFrom(long now, Link link, Data data) {
        long index = terms.index(data.sequence());
        MissingPacket loss = losses.get(index);
        if (loss == null || !loss.asked.get(link.slot) || !link.members.containsKey(data.replier())) {
            counters.increment(Count.UNASKED);
            return false;
        }
        counters.increment(Count.REPAIRS_FROM_BELOW);
        link.failures = 0;
        if (loss.firstElected == link.slot) {
            link.response.sample(now - loss.firstAskedAt);
        }
        if (loss.wantedAbove) {
            loss.wantedAbove = false;
            above.repair(data);
        }
        repair(now, data.cookie(0), index, link);
        return true;
    }

    // Repairs.

    private int repair(long now, Data data, long index, Link from) {
        MissingPacket loss = losses.get(index);
        if (!settings.subcast()) {
            if (loss != null) {
                losses.free(loss);
            }
            int copies = fanout.toAll(data, links.active);
            counters.add(Count.REPAIR_COPIES, copies);
            return copies;
        }
        if (loss == null || loss.phase == Phase.SERVED) {
            counters.increment(Count.UNASKED);
            return 0;
        }
        if (loss.phase == Phase.DETECTED) {
            loss.lacking.or(held.lacking(index));
        }
        if (from != null) {
            loss.lacking.clear(from.slot);
        } else if (loss.asks == 1) {
            fromAbove.sample(now - loss.askedAboveAt);
        }
        int copies = fanout.toSome(data, loss.lacking);
        counters.add(Count.REPAIR_COPIES, copies);
        served(now, loss);
        return copies;
    }

    private void served(long now, MissingPacket loss) {
        loss.servedNow(now);
        long until = now;
        for (int slot = loss.served.nextSetBit(0); slot >= 0; slot = loss.served.nextSetBit(slot + 1)) {
            until = Math.max(until, loss.servedAt[slot] + links.at(slot).crossing());
        }
        loss.phase = Phase.SERVED;
        loss.wantedAbove = false;
        loss.asks = 0;
        loss.since = now;
        losses.wakeAt(loss, until);
    }

    // Decisions.

    private boolean isWorthWaiting() {
        return links.size() > 1 && (settings.elect() != Election.NONE || above.isHere());
    }

    private boolean lackedByAll(MissingPacket loss) {
        return loss.lacking.cardinality() >= links.size();
    }

    private void decide(long now, MissingPacket loss) {
        Link replier = loss.rounds < MOST_ROUNDS ? repliers.elect(loss) : null;
        if (replier == null) {
            askAbove(now, loss);
            return;
        }
        counters.increment(Count.ELECTED);
        if (loss.rounds++ > 0) {
            counters.increment(Count.REELECTED);
        }
        loss.phase = Phase.ASKED;
        loss.elected = replier.slot;
        loss.asked.set(replier.slot);
        loss.askedAt = now;
        if (loss.rounds == 1) {
            loss.firstElected = replier.slot;
            loss.firstAskedAt = now;
        }
        replier.requests.add(terms.sequence(loss.index), loss.rank);
        await(now, loss);
    }

    /** For the repair; without a repair timer for links that ask again, or to forget what above alone wants and asks for elsewhere. */
    private void await(long now, MissingPacket loss) {
        long usual = Repliers.patience(links.at(loss.elected)) + MARGIN;
        losses.wakeAt(loss, now + (settings.repairTimer() ? usual : (long) MOST_BACK_OFF * usual));
    }

    private void askAbove(long now, MissingPacket loss) {
        loss.phase = Phase.ABOVE;
        loss.elected = -1;
        loss.wantedAbove = false;
        counters.increment(Count.ASKED_ABOVE);
        above.ask(loss.index, loss.rank);
        if (loss.asks == 0) {
            loss.askedAboveAt = now;
        }
        long usual = Math.max(above.patience(), fromAbove.bound()) + MARGIN;
        losses.wakeAt(loss, now + (long) (usual * Math.min(MOST_BACK_OFF, Math.pow(BACK_OFF, loss.asks++))));
        loss.rank = Math.min(loss.rank + 1, Losses.MOST_RANK);
    }

    // Time.

    /** When {@link #onTimer} has something to do; {@link Long#MAX_VALUE}: never. */
    long deadline() {
        return stall.deadline(losses.deadline());
    }

    void onTimer(long now) {
        if (stall.isLate(now, losses.deadline())) {
            return;
        }
        for (MissingPacket loss = losses.due(now); loss != null; loss = losses.due(now)) {
            switch (loss.phase) {
                case DETECTED -> {
                    counters.increment(Count.DETECTED);
                    loss.lacking.or(held.lacking(loss.index));
                    if (loss.lacking.isEmpty() && links.size() > 0) {
                        losses.free(loss);
                    } else if (lackedByAll(loss)) {
                        heard.add(terms.sequence(loss.index), 0, above.patience());
                        askAbove(now, loss);
                    } else {
                        decide(now, loss);
                    }
                }
                case ASKED -> overdue(now, loss);
                case DECIDING -> decide(now, loss);
                case ABOVE -> {
                    // Nobody below misses it, as far as was heard: above was told that it cannot be had here.
                    if (loss.lacking.isEmpty()) {
                        losses.free(loss);
                    } else {
                        askAbove(now, loss);
                    }
                }
                case SERVED -> losses.free(loss);
                default -> {
                }
            }
        }
    }

    private void overdue(long now, MissingPacket loss) {
        boolean there = links.active.get(loss.elected);
        if (there && !settings.repairTimer()) {
            if (loss.lacking.isEmpty()) {
                losses.free(loss);
            } else {
                await(now, loss);
            }
            return;
        }
        if (there) {
            links.at(loss.elected).failures++;
        }
        decide(now, loss);
    }

    /** No more messages for the moment: what was gathered for the links leaves. */
    void flush() {
        for (Link link : links.all()) {
            for (Losses wanted : link.requests.take()) {
                outlet.send(new Request(session, link.cookie, wanted), link.address);
            }
        }
        heard.flush(session, links, outlet);
    }

    /** Time in which what some link has comes here, or to another link, in nanoseconds. */
    long local() {
        return repliers.delayToDecide() + repliers.farthest() + MARGIN;
    }

    /**
     * What links are told of the time in which a neighbour repairs, in nanoseconds; where no link repairs for another, that of above. Not for
     * reports to above, whose own time it may be made of.
     */
    long fromNeighbours() {
        return settings.elect() == Election.NONE || links.size() < 2 ? above.patience() : local();
    }

    /** Missing packets that are remembered. */
    int losses() {
        return losses.size();
    }
}
