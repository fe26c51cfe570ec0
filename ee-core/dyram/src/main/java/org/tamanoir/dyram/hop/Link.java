package org.tamanoir.dyram.hop;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.PacketRanges;

/** A neighbour below: a host, or a node with hosts beneath it. */
public final class Link {
    private static final long MICROS = 1_000;
    /** Before anything was measured: a wide area. */
    private static final long FIRST_RTT = 50_000_000;
    private static final long BURST = 65_536;
    /** More than what clocks and wake-ups add to a wait. */
    static final long MARGIN = 3_000_000;
    /** By so much one round trip may be longer than the usual one. */
    private static final long MOST_JITTER = 10_000_000;

    final int slot;
    final InetSocketAddress address;
    final long cookie;
    final boolean node;
    boolean hearsGroup;
    boolean excluded;
    long lastHeard;
    /** Repairs in a row that it owed and did not send. */
    int failures;
    private Report report;
    private long rtt = FIRST_RTT;
    private long local;
    private double allowance = BURST;
    private long allowanceAt;
    final Map<Integer, MemberState> members = new HashMap<>();
    /** When a report had each member last, or it joined. */
    final Map<Integer, Long> reported = new HashMap<>();
    final Losses.Builder requests = new Losses.Builder();
    /** What every receiver beneath it holds by its own word. */
    PacketRanges held = PacketRanges.NONE;
    /** Whether it has said what it holds, and whether it may find more. */
    boolean saidHeld;
    boolean looking;
    /** Of its repairs. */
    final ResponseTime response = new ResponseTime();

    Link(int slot, InetSocketAddress address, long cookie, boolean node, boolean hearsGroup, long now) {
        this.slot = slot;
        this.address = address;
        this.cookie = cookie;
        this.node = node;
        this.hearsGroup = hearsGroup;
        this.lastHeard = now;
        this.allowanceAt = now;
    }

    public InetSocketAddress address() {
        return address;
    }

    public long cookie() {
        return cookie;
    }

    /** Round-trip time in nanoseconds. */
    long rtt() {
        return rtt;
    }

    /** What it asks for again within this time after a repair, it may have asked for before it got the repair. */
    long crossing() {
        return rtt + Math.min(rtt / 4, MOST_JITTER) + MARGIN;
    }

    /** Nanoseconds in which it repairs what somebody beneath it has, its own way not counted. */
    long local() {
        return local;
    }

    /** The last report; null before the first. */
    Report report() {
        return report;
    }

    void report(Report last) {
        report = last;
        if (last.rtt() > 0) {
            rtt = last.rtt() * MICROS;
        }
        local = last.local() * MICROS;
    }

    /** Whether it may ask for another packet: twice the session's packets a second, and bursts. */
    boolean mayAsk(long now, double packetsPerSecond) {
        allowance = Math.min(BURST, allowance + (now - allowanceAt) / 1e9 * 2 * (packetsPerSecond + 100));
        allowanceAt = now;
        if (allowance < 1) {
            return false;
        }
        allowance--;
        return true;
    }
}
