package org.tamanoir.dyram.hop;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a place has counted, over all its sessions. Written and read by its thread. */
public final class HopCounters {
    /** Everything that is counted. */
    public enum Count {
        /** Packets from above that went to links. */
        DATA("data"),
        /** Copies of packets that left, repairs not counted. */
        COPIES("copies"),
        /** Messages about missing packets that came from links. */
        NACKS("nacks"),
        /** Missing packets in them. */
        NACKED("nacked"),
        /** Those that said nothing new: the packet is being got, or was just sent. */
        SUPPRESSED("suppressed"),
        /** Missing packets that were found here before a receiver asked. */
        DETECTED("detected"),
        /** Repliers that were elected for a packet. */
        ELECTED("elected"),
        /** Of these, those that took the place of one that did not answer or had not got it. */
        REELECTED("reelected"),
        /** Missing packets that were asked for above. */
        ASKED_ABOVE("asked-above"),
        /** Repairs that came from links. */
        REPAIRS_FROM_BELOW("repairs-from-below"),
        /** Repairs that came from above. */
        REPAIRS_FROM_ABOVE("repairs-from-above"),
        /** Copies of repairs that left for links. */
        REPAIR_COPIES("repair-copies"),
        /** Repairs that nobody here had asked for. */
        UNASKED("unasked-repairs"),
        /** Messages with a wrong cookie, from strangers, or about what is not. */
        REFUSED("refused"),
        /** Missing packets of a link beyond what it may ask for. */
        OVER_BUDGET("over-budget"),
        /** Missing packets that were forgotten for want of room. */
        FORGOTTEN("forgotten"),
        /** Links that were given up because nothing was heard of them. */
        LINKS_LOST("links-lost"),
        /** Members that were found to send wrong repairs. */
        BLAMED("blamed");

        private final String text;

        Count(String text) {
            this.text = text;
        }

        /** Its name in reports and metrics. */
        public String text() {
            return text;
        }
    }

    private final long[] values = new long[Count.values().length];

    void add(Count count, long more) {
        values[count.ordinal()] += more;
    }

    void increment(Count count) {
        values[count.ordinal()]++;
    }

    /** For what is refused before it comes to a hop. */
    public void refused() {
        increment(Count.REFUSED);
    }

    public long get(Count count) {
        return values[count.ordinal()];
    }

    /** All of them by name. */
    public Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            all.put(count.text(), values[count.ordinal()]);
        }
        return all;
    }
}
