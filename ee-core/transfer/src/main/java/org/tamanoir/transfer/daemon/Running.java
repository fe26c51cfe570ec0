package org.tamanoir.transfer.daemon;

import org.tamanoir.transfer.copy.ThirdParty;
import org.tamanoir.transfer.queue.Need;
import org.tamanoir.transfer.queue.TransferRequest;
import org.tamanoir.transfer.wire.Message;

/** One attempt under way. */
final class Running {
    /** What the newest second counts in the rate. */
    private static final double NEWEST = 0.3;

    private final ThirdParty party;
    private final String link;
    private final long beganNanos = System.nanoTime();
    private final long linkBefore;
    private final Need need = new Need();
    private long moved;
    private double rate;

    /** @param linkBefore octets that had gone over the link */
    Running(ThirdParty party, String link, long linkBefore) {
        this.party = party;
        this.link = link;
        this.linkBefore = linkBefore;
    }

    String link() {
        return link;
    }

    Message.Fetching progress() {
        return party.progress();
    }

    /** Octets a second, lately. */
    double rate() {
        return rate;
    }

    /** Octets since it was looked at. */
    long more(long nowMoved) {
        return Math.max(0, nowMoved - moved);
    }

    /** Looks at it again. @param seconds since it was looked at @return octets since then */
    long look(long nowMoved, double seconds) {
        long more = more(nowMoved);
        moved = nowMoved;
        rate += NEWEST * (more / seconds - rate);
        return more;
    }

    /** What its link has carried since it began, octets a second. */
    double linkRate(long linkOctets) {
        return (linkOctets - linkBefore) * 1e9 / (System.nanoTime() - beganNanos);
    }

    /** Octets a second that it needs beyond what it has, so that its promise is kept; 0 for none. */
    long lacks(TransferRequest request, long left, long now) {
        return need.look(request, left, rate, now);
    }

    void need(long octetsPerSecond) throws InterruptedException {
        party.need(octetsPerSecond);
    }

    void stop() {
        party.stop();
    }
}
