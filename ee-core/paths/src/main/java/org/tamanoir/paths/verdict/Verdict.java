package org.tamanoir.paths.verdict;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.tamanoir.paths.metrics.Numbers;

/**
 * Whose fault it is that a stream is no faster: DataGRID's "bottlenecks at the sending and receiving hosts rather than any network related bottleneck" (section
 * 4.2.3), with the node in the middle, which sees both halves.
 *
 * @param cause    one word
 * @param share    of the time in which it held the stream up, 0 to 1
 * @param isSure   false where the node receives, the source reports nothing, and what there is to see fits the source as well as the path from it
 * @param sentence for people
 * @param shares   of every cause that was weighed
 */
public record Verdict(Cause cause, double share, boolean isSure, String sentence, Map<Cause, Double> shares) {
    /** What holds a stream up for less than this is not worth a word. */
    private static final double LEAST_SHARE = 0.2;
    /** Of the rate that is expected, this much is what it can have. */
    private static final double ENOUGH = 0.9;
    /** Of the segments, so many out of order are a path that loses. One lost segment puts those behind it out of order. */
    private static final double OUT_OF_ORDER = 0.001;
    private static final long FEW_OUT_OF_ORDER = 3;
    /** A source that is silent for so long, and for so many round trips, pauses. */
    private static final long PAUSE_MILLIS = 100;
    private static final int PAUSE_ROUND_TRIPS = 4;
    private static final double MICROS = 1e6;
    /** Of TCP_CA_STATE: the window was cut. Behind it are recovery and loss. */
    private static final int CWR = 2;
    /** Of a window that is in use, at least one part of so many is under way. */
    private static final int UNDER_WAY = 3;

    /** What one connection says of its sender, as parts of the time. */
    private record Sender(double window, double buffer, double network) {
        private static final Sender IDLE = new Sender(0, 0, 0);

        /** @param states of the connection at each observation, at the end that sends */
        static Sender of(List<TcpState> states, double micros) {
            TcpState first = states.get(0);
            TcpState last = states.get(states.size() - 1);
            double window = last.since(first, TcpField.RWND_LIMITED) / micros;
            double buffer = last.since(first, TcpField.SNDBUF_LIMITED) / micros;
            double busy = last.since(first, TcpField.BUSY_TIME) / micros;
            // Data are under way in every stream that moves. Somebody else holds them up only where more of them wait to be sent.
            double rest = Math.max(0, Math.min(1, busy) - window - buffer);
            double small = rest * part(states, Sender::waitsForTheWindow);
            double network = rest * part(states, state -> waitsForTheNetwork(state) && !waitsForTheWindow(state));
            return new Sender(Math.min(1, window + small), Math.min(1, buffer), network);
        }

        private static double part(List<TcpState> states, Predicate<TcpState> which) {
            return states.stream().filter(which).count() / (double) states.size();
        }

        /** As much is under way as may be: a third of the window for BBR, which holds back by its pacing, or the kernel repairs a loss. */
        private static boolean waitsForTheNetwork(TcpState state) {
            return state.get(TcpField.NOTSENT_BYTES) > 0 && (UNDER_WAY * state.get(TcpField.UNACKED) >= state.get(TcpField.SND_CWND) || state.get(TcpField.CA_STATE) >= CWR);
        }

        /** The network would carry more than the peer has room for. BBR slows down to what the peer takes, so that its window is never quite closed. */
        private static boolean waitsForTheWindow(TcpState state) {
            long mss = state.get(TcpField.SND_MSS);
            return state.get(TcpField.NOTSENT_BYTES) > 0 && state.has(TcpField.SND_WND) && state.get(TcpField.SND_WND) < state.get(TcpField.SND_CWND) * mss
                    && UNDER_WAY * state.get(TcpField.UNACKED) * mss >= state.get(TcpField.SND_WND);
        }

        double all() {
            return Math.min(1, window + buffer + network);
        }
    }

    /**
     * Judges a stream by what was seen of it lately: two observations or more, a second or so.
     *
     * @param expected octets a second that it can have at most, as somebody has measured; 0 if nobody has
     */
    public static Verdict of(List<Observation> seen, double expected) {
        Observation first = seen.get(0);
        Observation last = seen.get(seen.size() - 1);
        double micros = (last.nanos() - first.nanos()) / 1e3;
        if (!(micros > 0)) {
            return new Verdict(Cause.NOTHING, 0, true, "it has been looked at once only", Map.of());
        }
        double rate = (last.node().octets() - first.node().octets()) / micros * MICROS;
        if (expected > 0 && rate >= ENOUGH * expected) {
            return new Verdict(Cause.NOTHING, rate / expected, true, "it carries " + mbits(rate) + " of the " + mbits(expected) + " that it can have", Map.of());
        }
        return new Judge(seen, micros, rate).judge();
    }

    private static String mbits(double octets) {
        return Numbers.text(octets * 8 / 1e6, 3) + " Mbit/s";
    }

    /** The weighing of one stream. */
    private static final class Judge {
        private final List<Observation> seen;
        private final Observation first;
        private final Observation last;
        private final double micros;
        private final double rate;
        /** What is known of the connection behind the node, and of the source's own end; each may have begun or ended meanwhile. */
        private final List<TcpState> after;
        private final List<TcpState> reported;
        private final Map<Cause, Double> shares = new EnumMap<>(Cause.class);

        Judge(List<Observation> seen, double micros, double rate) {
            this.seen = seen;
            this.first = seen.get(0);
            this.last = seen.get(seen.size() - 1);
            this.micros = micros;
            this.rate = rate;
            this.after = seen.stream().map(Observation::after).filter(state -> state != null).toList();
            this.reported = seen.stream().map(Observation::source).filter(state -> state != null).toList();
        }

        Verdict judge() {
            Sender behind = sender(after);
            double service = part(last.node().serviceNanos() - first.node().serviceNanos());
            double paused = part(last.node().pausedNanos() - first.node().pausedNanos());
            double limited = part(last.node().classNanos() - first.node().classNanos());
            shares.put(Cause.RECEIVER, behind.window());
            shares.put(Cause.PATH_AFTER, behind.network());
            // The kernel counts its buffer only where it was full when data left. A node that cannot write, though neither window nor network hold its connection
            // up, has one that is too small.
            double buffer = Math.max(behind.buffer(), paused - behind.window() - behind.network() - service - limited);
            shares.put(Cause.NODE, Math.max(service, buffer));
            shares.put(Cause.CLASS, limited);
            // The node waits for the source in the time that nothing behind it takes.
            double waits = Math.max(0, 1 - Math.max(Math.max(paused, behind.all()), service + limited));
            boolean sure = waits <= 0 || upstream(waits);
            Map.Entry<Cause, Double> most = shares.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
            if (most.getValue() < LEAST_SHARE) {
                return new Verdict(Cause.NOTHING, most.getValue(), true, "nothing holds it up for more than " + percent(most.getValue()) + " of the time; it carries " + mbits(rate), copy());
            }
            Cause cause = most.getKey();
            boolean isUpstream = cause == Cause.SOURCE || cause == Cause.PATH_BEFORE;
            return new Verdict(cause, most.getValue(), !isUpstream || sure, sentence(cause, most.getValue(), service >= buffer, sure), copy());
        }

        private Map<Cause, Double> copy() {
            return Collections.unmodifiableMap(new EnumMap<>(shares));
        }

        private Sender sender(List<TcpState> states) {
            return states.size() < 2 ? Sender.IDLE : Sender.of(states, micros);
        }

        private double part(long nanos) {
            return Math.min(1, Math.max(0, nanos / 1e3 / micros));
        }

        /** Whose the time is in which the node waits. @return whether that is sure */
        private boolean upstream(double waits) {
            if (reported.size() >= 2) {
                Sender source = Sender.of(reported, micros);
                shares.put(Cause.PATH_BEFORE, Math.min(waits, source.network()));
                shares.put(Cause.SOURCE, Math.max(0, waits - source.network() - source.window()));
                return true;
            }
            boolean lossy = outOfOrder() >= FEW_OUT_OF_ORDER && outOfOrder() >= OUT_OF_ORDER * segments();
            shares.put(lossy ? Cause.PATH_BEFORE : Cause.SOURCE, waits);
            return lossy || pauses() >= 2;
        }

        /** Of the handshake and of what the node has sent back: RCV_RTT takes the pauses of a source for round trips. */
        private long roundTripMillis() {
            long micros = last.before().get(TcpField.MIN_RTT);
            return micros == 0xFFFF_FFFFL ? 0 : micros / 1000;
        }

        private long outOfOrder() {
            return last.before().since(first.before(), TcpField.RCV_OOOPACK);
        }

        private long segments() {
            return last.before().since(first.before(), TcpField.DATA_SEGS_IN);
        }

        /** How often the source was silent, with data in between. A path that carries nothing for a while is so once. */
        private int pauses() {
            long silence = Math.max(PAUSE_MILLIS, PAUSE_ROUND_TRIPS * roundTripMillis());
            return (int) seen.stream().map(Observation::before).filter(state -> state.get(TcpField.LAST_DATA_RECV) >= silence).mapToLong(state -> state.get(TcpField.BYTES_RECEIVED)).distinct().count();
        }

        private String sentence(Cause cause, double share, boolean isService, boolean sure) {
            String part = percent(share) + " of " + String.format(Locale.ROOT, "%.1f s", micros / MICROS);
            return switch (cause) {
                case RECEIVER -> "the destination kept its window small or closed for " + part + ": it takes " + mbits(rate);
                case PATH_AFTER -> "data waited for the network behind the node for " + part + ": " + network(after);
                case NODE -> isService ? "the services of the node worked for " + part + ", and it carries " + mbits(rate)
                        : "the node's own send buffer was too small for the path behind it for " + part + ", and " + last.node().queuedOctets() + " octets wait before it";
                case CLASS -> "packets waited for the rate of their class for " + part + ": it gives " + mbits(rate);
                case PATH_BEFORE -> "the node waited for " + part + ", and the network before it is what holds data up: " + (reported.size() >= 2 ? network(reported)
                        : outOfOrder() + " of " + segments() + " segments came out of order");
                case SOURCE -> "the node waited for the source for " + part + (sure ? ": it sends " + mbits(rate)
                        : ", at " + mbits(rate) + "; it is the source or the path from it: nothing is lost there, and the source reports nothing");
                case NOTHING -> "nothing holds it up";
            };
        }

        private static String network(List<TcpState> states) {
            TcpState before = states.get(0);
            TcpState now = states.get(states.size() - 1);
            double sent = Math.max(1, now.since(before, TcpField.BYTES_SENT));
            double again = now.since(before, TcpField.BYTES_RETRANS) / sent;
            String trip = String.format(Locale.ROOT, "%.1f ms, at least %.1f ms", now.get(TcpField.RTT) / 1e3, now.get(TcpField.MIN_RTT) / 1e3);
            return (again > 0 ? String.format(Locale.ROOT, "%.2f %% was sent again, ", 100 * again) : "nothing was lost, ") + now.get(TcpField.SND_CWND) + " segments may be under way, and a round trip takes " + trip;
        }

        private static String percent(double part) {
            return Math.round(100 * part) + " %";
        }
    }
}
