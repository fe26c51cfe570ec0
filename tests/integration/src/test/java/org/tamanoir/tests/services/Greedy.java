package org.tamanoir.tests.services;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * A service that keeps something of each packet for ever, as its option {@code keeps} says: {@code arrays} in a static list, {@code objects}, which are small, in a
 * static map, {@code handler} in a field of the handler, or {@code threads}, of which every second one waits and the others run.
 */
public final class Greedy implements ActiveService {
    private static final int OCTETS = 64 * 1024;
    private static final List<Object> ARRAYS = new ArrayList<>();
    private static final Map<Long, String> OBJECTS = new HashMap<>();
    private static volatile long turns;

    private String keeps;

    @Override
    public void start(ServiceContext service) {
        keeps = service.configuration().text("keeps", "arrays");
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler();
    }

    private final class Handler implements StreamHandler {
        private final List<Object> own = new ArrayList<>();

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() > 0) {
                keep(own);
            }
            return Verdict.PASS;
        }
    }

    private void keep(List<Object> own) {
        switch (keeps) {
            case "arrays" -> ARRAYS.add(new byte[OCTETS]);
            case "objects" -> {
                for (int i = 0; i < OCTETS / 100; i++) {
                    OBJECTS.put((long) OBJECTS.size(), "value of " + i);
                }
            }
            case "handler" -> own.add(new long[OCTETS / Long.BYTES]);
            default -> new Thread(turns++ % 2 == 0 ? Greedy::loop : Greedy::sleep, "greedy").start();
        }
    }

    private static void loop() {
        while (true) {
            turns++;
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException e) {
            // It ends.
        }
    }
}
