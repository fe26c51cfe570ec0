package org.tamanoir.paths.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Which packets are lost: loss distance and loss period (RFC 3357, sections 5.1 and 6), and the loss length of DataGRID (section 9.1.3).
 *
 * @param distances for each packet: of a lost one, packets since the one lost before it; 0 for the first loss and for those that arrived
 * @param periods   for each packet: of a lost one, in which run of losses it is, from 1; 0 for those that arrived
 * @param lengths   lost packets of each run of losses
 */
public record LossPattern(List<Integer> distances, List<Integer> periods, List<Integer> lengths) {
    /** @param lost in the order of sending */
    public static LossPattern of(boolean... lost) {
        List<Integer> distances = new ArrayList<>(lost.length);
        List<Integer> periods = new ArrayList<>(lost.length);
        List<Integer> lengths = new ArrayList<>();
        int before = -1;
        for (int i = 0; i < lost.length; i++) {
            if (lost[i]) {
                distances.add(before < 0 ? 0 : i - before);
                if (before < 0 || before < i - 1) {
                    lengths.add(0);
                }
                lengths.set(lengths.size() - 1, lengths.get(lengths.size() - 1) + 1);
                before = i;
            } else {
                distances.add(0);
            }
            periods.add(lost[i] ? lengths.size() : 0);
        }
        return new LossPattern(List.copyOf(distances), List.copyOf(periods), List.copyOf(lengths));
    }

    public int losses() {
        return lengths.stream().mapToInt(Integer::intValue).sum();
    }

    /** Of the losses, those that follow another within so many packets: what hurts who can repair a single one (RFC 3357, section 6.1). NaN without losses. */
    public double noticeable(int distance) {
        return losses() == 0 ? Double.NaN : distances.stream().filter(each -> each > 0 && each <= distance).count() / (double) losses();
    }
}
