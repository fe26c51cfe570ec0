package org.tamanoir.tests.services;

import org.tamanoir.service.ActiveService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service whose constructor never returns. */
public final class BornLooping implements ActiveService {
    public BornLooping() {
        Mischief.loop();
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> Verdict.PASS;
    }
}
