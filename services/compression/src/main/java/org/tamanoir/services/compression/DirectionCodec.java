package org.tamanoir.services.compression;

import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.Verdict;

/** What a node does to one direction of a stream. */
interface DirectionCodec {
    Verdict apply(Packet packet, Output out);

    DirectionCounters tally();

    /** The level at which it compresses now, {@code stored} if it does not; null where it restores. */
    default String level() {
        return null;
    }
}
