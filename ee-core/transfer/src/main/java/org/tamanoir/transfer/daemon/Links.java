package org.tamanoir.transfer.daemon;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.queue.LinkHistory;

/** What went from one host to another, and what their link carries. */
final class Links {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);
    /** What is smaller says nothing of a link. */
    private static final long TELLING_OCTETS = 1_000_000;

    private final TransferStore store;
    private final Map<String, LinkHistory> histories;
    private final Map<String, Long> octets = new HashMap<>();

    Links(TransferStore store) {
        this.store = store;
        this.histories = new LinkedHashMap<>(store.links());
    }

    Map<String, LinkHistory> histories() {
        return histories;
    }

    /** Since this began. */
    long octets(String link) {
        return octets.getOrDefault(link, 0L);
    }

    void moved(String link, long more) {
        octets.merge(link, more, Long::sum);
    }

    /** An attempt that was not held to a rate is over. */
    void learn(Running attempt, long moved) {
        if (moved < TELLING_OCTETS) {
            return;
        }
        String link = attempt.link();
        LinkHistory history = histories.getOrDefault(link, LinkHistory.NOTHING).with(attempt.linkRate(octets(link)), moved);
        histories.put(link, history);
        try {
            store.keep(link, history);
        } catch (AnepException e) {
            LOG.warn("what was measured of {} is not kept: {}", link, e.getMessage());
        }
    }
}
