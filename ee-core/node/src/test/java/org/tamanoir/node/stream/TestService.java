package org.tamanoir.node.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Services whose handlers a test writes. */
final class TestService {
    static final int TYPE = 0x5501;
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private TestService() {
    }

    static RunningService middle(ActiveService service) {
        return of(TYPE, "middle", Level.MIDDLE, FailurePolicy.RESTART, service);
    }

    static RunningService of(int typeId, String name, Level level, FailurePolicy policy, ActiveService service) {
        return of(typeId, name, level, ServicePolicy.preset(policy, TIMEOUT), service);
    }

    static RunningService of(int typeId, String name, Level level, ServicePolicy policy, ActiveService service) {
        NodeMeans none = new NodeMeans(null, null, null, null, null, null, null, null, null, null);
        return new RunningService(typeId, level, service, new NodeServiceContext(name, "1.0.0", new MapConfiguration(name, Map.of()), null,
                Map.of(), null, none), 1, policy);
    }

    /** Presets, with so many octets that a call may take and handlers may hold. */
    static ServicePolicy holding(FailurePolicy policy, long octets) {
        ServicePolicy preset = ServicePolicy.preset(policy, TIMEOUT);
        return new ServicePolicy(policy, TIMEOUT, preset.streams(), octets, preset.queueBytes(), preset.failures(), preset.window(), preset.backOff(),
                preset.mostBackOff(), preset.blocksBytes(), preset.reaches(), preset.connections(), preset.heapBytes(), preset.threads(), preset.workers(), preset.wasm());
    }

    /** A handler that says what it is told, and does what its test says. */
    static class Scripted implements StreamHandler {
        final List<String> told = new ArrayList<>();
        Act forward = (packet, out) -> Verdict.PASS;
        Act back = (packet, out) -> Verdict.PASS;
        End end = out -> { };
        End returnEnd = out -> { };
        End room = out -> { };
        End returnRoom = out -> { };

        /** What happens to a packet. */
        interface Act {
            Verdict on(Packet packet, Output out) throws Exception;
        }

        /** What happens at an end. */
        interface End {
            void on(Output out) throws Exception;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) throws Exception {
            told.add(Recorder.text(packet));
            return forward.on(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) throws Exception {
            told.add("<" + Recorder.text(packet));
            return back.on(packet, out);
        }

        @Override
        public void onEnd(Output out) throws Exception {
            told.add("end");
            end.on(out);
        }

        @Override
        public void onReturnEnd(Output out) throws Exception {
            told.add("<end");
            returnEnd.on(out);
        }

        @Override
        public void onWritable(Output out) throws Exception {
            told.add("room");
            room.on(out);
        }

        @Override
        public void onReturnWritable(Output out) throws Exception {
            told.add("<room");
            returnRoom.on(out);
        }

        @Override
        public Map<String, Object> report() {
            return Map.of("told", told.size());
        }

        @Override
        public void close() {
            told.add("close");
        }
    }
}
