package org.tamanoir.node.tcpstate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.node.tcpstate.WatchedStream.Seen;
import org.tamanoir.paths.verdict.NodeTimes;
import org.tamanoir.paths.verdict.Observation;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;
import org.tamanoir.paths.verdict.Verdict;

/**
 * Why a stream is as fast as it is, and what says so, for JSON.
 *
 * @param cause    one word
 * @param share    of the time, 0 to 1
 * @param sure     as {@link Verdict#isSure}
 * @param sentence for people
 * @param shares   of every cause that was weighed
 * @param looks    in the last seconds
 * @param seconds  from the first of them to the last
 * @param before   of the connection from the source: what the kernel said at the first look and at the last
 * @param after    of the connection behind the node; null for none
 * @param node     what the node did between the two looks
 * @param history  since the stream began
 */
public record StreamReason(String cause, double share, boolean sure, String sentence, Map<String, Double> shares, int looks, double seconds, Connection before,
                           Connection after, Work node, Past history) {
    /** The fields of {@code tcp_info} by their names, at two moments. */
    public record Connection(Map<String, Long> first, Map<String, Long> last) {
        static Connection of(TcpState first, TcpState last) {
            return first == null || last == null ? null : new Connection(all(first), all(last));
        }

        private static Map<String, Long> all(TcpState state) {
            Map<String, Long> all = new LinkedHashMap<>();
            for (TcpField field : TcpField.values()) {
                if (state.has(field)) {
                    all.put(field.text(), state.get(field));
                }
            }
            return all;
        }
    }

    /**
     * What the node did.
     *
     * @param serviceMillis in which services worked
     * @param pausedMillis  in which what is behind the node took no more
     * @param classMillis   in which the source was over its rate
     * @param queuedOctets  that wait in the node
     * @param octets        that came
     */
    public record Work(double serviceMillis, double pausedMillis, double classMillis, long queuedOctets, long octets) {
        static Work between(NodeTimes first, NodeTimes last) {
            return new Work(millis(last.serviceNanos() - first.serviceNanos()), millis(last.pausedNanos() - first.pausedNanos()), millis(last.classNanos() - first.classNanos()),
                    last.queuedOctets(), last.octets() - first.octets());
        }

        private static double millis(long nanos) {
            return Math.round(nanos / 1e4) / 1e2;
        }
    }

    /**
     * Points in time, the oldest first.
     *
     * @param ago           seconds
     * @param bitsPerSecond since the point before
     * @param windowOctets  congestion window behind the node
     * @param tripMillis    round trip behind the node
     */
    public record Past(double[] ago, double[] bitsPerSecond, long[] windowOctets, double[] tripMillis) {
    }

    static StreamReason of(Seen seen) {
        Verdict verdict = WatchedStream.judge(seen.lately());
        Observation first = seen.first();
        Observation last = seen.last();
        History.Points points = seen.history();
        return new StreamReason(verdict.cause().toString(), round(verdict.share()), verdict.isSure(), verdict.sentence(),
                verdict.shares().entrySet().stream().collect(Collectors.toMap(each -> each.getKey().toString(), each -> round(each.getValue()), (a, b) -> a, LinkedHashMap::new)),
                seen.lately().size(), Math.round((last.nanos() - first.nanos()) / 1e7) / 1e2, Connection.of(first.before(), last.before()),
                Connection.of(first.after(), last.after()), Work.between(first.node(), last.node()),
                new Past(points.ago(), points.bitsPerSecond(), points.windowOctets(), points.tripMillis()));
    }

    private static double round(double part) {
        return Math.round(part * 1000) / 1e3;
    }
}
