package org.tamanoir.tests.services;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.Report;

/** Follows the TCP streams of its node, and shows what it was told of each last, by number. */
public final class Follows implements ActiveService, Inspected {
    private final Map<String, String> streams = new ConcurrentHashMap<>();

    @Override
    public void start(ServiceContext service) {
        service.tcp().follow(Duration.ofMillis(100), this::told);
    }

    private void told(Report report) {
        report.streams().forEach(stream -> streams.put(Long.toString(stream.number()), stream.destination().getPort() + " " + stream.reason()));
        for (Ended ended : report.ended()) {
            streams.merge(Long.toString(ended.last().number()), "never seen", (before, now) -> (before.startsWith("ended") ? "twice " : "ended ") + ended.last().octets() + " " + ended.failure());
        }
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        return Map.of("streams", streams);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return (packet, out) -> Verdict.PASS;
    }
}
