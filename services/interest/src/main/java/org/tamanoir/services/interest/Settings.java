package org.tamanoir.services.interest;

import org.tamanoir.service.Configuration;
import org.tamanoir.services.interest.tree.Limits;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;

/**
 * The options.
 *
 * @param limits       of the filters of a space
 * @param spaces       spaces that this node takes part in
 * @param neighbours   programs and nodes of one space that are joined to this node; as many again may publish by datagrams
 * @param eventOctets  octets of an event of a program, with its topic
 * @param waiting      octets of events that wait for one neighbour
 * @param waitingInAll octets of events that wait for all of them
 * @param dropRules    light rules of all spaces
 */
record Settings(Limits limits, int spaces, int neighbours, int eventOctets, int waiting, long waitingInAll, int dropRules) {
    private static final int KIB = 1024;
    private static final int SIXTEENTH = 16;
    private static final int MOST_PRESET = 64;

    static Settings of(Configuration options) {
        // A service has a quarter of the heap unless its policy says otherwise.
        int preset = (int) Math.max(1, Math.min(MOST_PRESET, Runtime.getRuntime().maxMemory() / SIXTEENTH / KIB / KIB));
        Limits limits = new Limits(options.integer("filters", 1000, 1, Limits.MOST), options.integer("filters-in-all", 10_000, 1, 1_000_000),
                options.integer("predicates", 64, 0, Limits.MOST), options.integer("told", 1000, 4, Limits.MOST), options.integer("predicate-share", 20, 1, 100),
                (long) options.integer("filters-mb", preset, 1, 16 * KIB) * KIB * KIB);
        return new Settings(limits, options.integer("spaces", 16, 1, 100), options.integer("neighbours", 1000, 1, 100_000),
                options.integer("event-kb", 64, 1, Frames.LONGEST / KIB) * KIB, options.integer("waiting-kb", 1024, 128, 64 * KIB) * KIB,
                (long) options.integer("waiting-in-all-mb", preset, 1, 16 * KIB) * KIB * KIB, options.integer("drop-rules", 8 * TopicGroups.COUNT, 0, 65_536));
    }
}
