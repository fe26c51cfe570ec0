package org.tamanoir.tests.services;

import org.tamanoir.service.ActiveService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Takes its time with each packet: 400 ns an octet, so that a stream through it has 20 Mbit/s. */
public final class Slow implements ActiveService {
    private static final long NANOS_AN_OCTET = 400;

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> {
            long nanos = NANOS_AN_OCTET * packet.length();
            try {
                Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Verdict.PASS;
        };
    }
}
