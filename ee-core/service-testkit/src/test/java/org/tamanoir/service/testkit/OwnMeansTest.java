package org.tamanoir.service.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Blocks;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Store;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Timer;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.flow.Flows.Connection;
import org.tamanoir.service.flow.Flows.Flow;
import org.tamanoir.service.flow.Flows;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;
import org.tamanoir.service.server.Server.Message;
import org.tamanoir.service.server.Server;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.StreamState;
import org.tamanoir.service.tcp.TcpStreams;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers.Program;

/** What a service has besides its streams: tasks, a store, probes, partners, questions of operators, and new options. */
class OwnMeansTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final InetSocketAddress REFLECTOR = new InetSocketAddress("192.0.2.7", 862);
    private static final Train TRAIN = new Train(REFLECTOR, 46, 3, 200, Duration.ofMillis(100), SECOND);

    private final List<String> log = new ArrayList<>();

    /** Keeps its context for the test. */
    private static final class Bare implements ActiveService, Inspected {
        private ServiceContext context;
        private int level;

        @Override
        public void start(ServiceContext service) {
            context = service;
        }

        @Override
        public StreamHandler open(StreamContext stream) {
            return (packet, out) -> Verdict.PASS;
        }

        @Override
        public boolean reconfigure(Configuration configuration) {
            level = configuration.integer("level", 3, 1, 9);
            return true;
        }

        @Override
        public Map<String, Object> inspect(String what, Map<String, String> parameters) {
            return Map.of(what, parameters);
        }
    }

    private final Bare bare = new Bare();

    private ServiceHarness start() throws Exception {
        return ServiceHarness.start(bare, Map.of());
    }

    private void note(String what, CompletionStage<Void> put) {
        put.whenComplete((done, failure) -> log.add(failure == null ? what : what + " " + ((AnepException) failure).code()));
    }

    @Test
    void tasksRunAtTheirTimeAndNotAfterTheStop() throws Exception {
        ServiceHarness harness = start();
        long begin = bare.context.nanoTime();
        bare.context.later(SECOND, () -> log.add("after " + (bare.context.nanoTime() - begin)));
        Timer cancelled = bare.context.later(SECOND, () -> log.add("cancelled"));
        bare.context.later(SECOND.multipliedBy(3), () -> log.add("late"));
        assertThat(cancelled.cancel()).isTrue();
        harness.advance(Duration.ofMillis(999));
        assertThat(log).isEmpty();
        harness.advance(SECOND);
        assertThat(log).containsExactly("after 1000000000");
        for (int i = 1; i < StreamContext.MOST_TIMERS; i++) {
            bare.context.later(SECOND, () -> { });
        }
        assertThatThrownBy(() -> bare.context.later(SECOND, () -> { })).isInstanceOf(AnepException.class).hasMessageContaining("EE-309");
        harness.close();
        harness.advance(SECOND.multipliedBy(9));
        assertThat(log).hasSize(1);
    }

    @Test
    void whatIsPutIsKeptWhenTimePassesAndOutlivesTheService() throws Exception {
        ServiceHarness harness = start();
        byte[] value = {1, 2};
        note("put", bare.context.store().put("a", value));
        value[0] = 9;
        assertThat(log).isEmpty();
        harness.advance(Duration.ZERO);
        assertThat(log).containsExactly("put");
        harness.failStore(true);
        note("again", bare.context.store().put("a", new byte[] {7}));
        note("remove", bare.context.store().remove("a"));
        harness.advance(Duration.ZERO);
        assertThat(log).containsExactly("put", "again " + ErrorCode.STORE_FAILED, "remove " + ErrorCode.STORE_FAILED);
        harness.failStore(false);
        bare.context.store().put("never kept", value);
        harness.store().crash();
        harness.close();
        try (ServiceHarness anew = ServiceHarness.of(bare, Map.of()).store(harness.store()).start()) {
            assertThat(bare.context.store().all()).containsOnlyKeys("a").containsEntry("a", new byte[] {1, 2});
            bare.context.store().all().get("a")[0] = 5;
            assertThat(bare.context.store().all()).containsEntry("a", new byte[] {1, 2});
            bare.context.store().remove("a");
            anew.advance(Duration.ZERO);
            assertThat(bare.context.store().all()).isEmpty();
        }
    }

    @Test
    void theStoreHasItsBounds() throws Exception {
        try (ServiceHarness harness = start()) {
            Store store = bare.context.store();
            note("longest key", store.put("k".repeat(Store.MOST_KEY), new byte[Store.MOST_VALUE]));
            note("longer", store.put("k".repeat(Store.MOST_KEY + 1), new byte[1]));
            note("larger", store.put("k", new byte[Store.MOST_VALUE + 1]));
            harness.advance(Duration.ZERO);
            assertThat(log).containsExactly("longest key", "longer " + ErrorCode.STORE_FAILED, "larger " + ErrorCode.STORE_FAILED);
            byte[] large = new byte[Store.MOST_VALUE];
            for (long i = 1; i < Store.MOST_OCTETS / Store.MOST_VALUE; i++) {
                store.put("n" + i, large);
            }
            note("full", store.put("one more", new byte[1]));
            note("in place", store.put("n1", new byte[1]));
            note("again room", store.put("one more", new byte[1]));
            harness.advance(Duration.ZERO);
            assertThat(log.subList(3, 6)).containsExactly("full " + ErrorCode.STORE_FAILED, "in place", "again room");
        }
    }

    @Test
    void trainsAreAnsweredByTheTestOrLost() throws Exception {
        try (ServiceHarness harness = start()) {
            List<Answers> told = new ArrayList<>();
            bare.context.probes().send(TRAIN, told::add);
            assertThat(harness.probes().trains()).containsExactly(TRAIN);
            Answers one = new Answers(TRAIN, 3, List.of(new Answers.Answer(0, 10, 20, 30, 40, true, 0, 46, 63)));
            harness.probes().answer(one);
            assertThat(told).containsExactly(one);
            bare.context.probes().send(TRAIN, told::add);
            harness.advance(Duration.ofMillis(1199));
            assertThat(told).hasSize(1);
            harness.advance(Duration.ofMillis(1));
            assertThat(told.get(1).answers()).isEmpty();
            harness.probes().answers(train -> one);
            bare.context.probes().send(TRAIN, told::add);
            harness.advance(SECOND.multipliedBy(2));
            assertThat(told.get(2)).isEqualTo(one);
            harness.probes().sends(false);
            assertThat(bare.context.probes().send(TRAIN, told::add)).isFalse();
        }
    }

    @Test
    void documentsAndMessagesWaitWhileTheServerIsAway() throws Exception {
        RecordedServer server = new RecordedServer();
        try (ServiceHarness harness = ServiceHarness.of(bare, Map.of()).server("collector", server).start()) {
            assertThat(bare.context.server("other")).isNull();
            Server seen = bare.context.server("collector");
            server.publish("/plan", new byte[] {1});
            seen.follow("/plan", SECOND, octets -> log.add("plan " + octets[0]));
            assertThat(log).isEmpty();
            harness.advance(Duration.ZERO);
            server.away(true);
            server.publish("/plan", new byte[] {2});
            seen.send(Message.post("/samples", "text/plain", new byte[] {3}), answer -> log.add("good " + answer.isGood()));
            harness.advance(SECOND.multipliedBy(60));
            assertThat(log).containsExactly("plan 1");
            assertThat(seen.problem()).isEqualTo("it is away");
            server.away(false);
            harness.advance(SECOND);
            assertThat(log).containsExactly("plan 1", "plan 2", "good true");
            assertThat(server.answered()).extracting(Message::path).containsExactly("/samples");
            server.answers(message -> null);
            for (int i = 1; i < Server.MOST_UNDER_WAY; i++) {
                seen.send(Message.put("/x", "text/plain", new byte[0]), answer -> log.add("never"));
            }
            assertThatThrownBy(() -> seen.send(Message.put("/x", "text/plain", new byte[0]), answer -> log.add("never"))).hasMessageContaining("EE-309");
            harness.advance(SECOND);
            assertThat(log).hasSize(3);
        }
    }

    @Test
    void aFlowIsToldWhenItsTimeIsOver() throws Exception {
        try (ServiceHarness harness = start()) {
            Flow flow = new Flow(REFLECTOR, 46, 2, SECOND, new byte[] {1});
            Flows flows = bare.context.flows();
            flows.send(flow, result -> log.add(result.connections().size() + " " + result.connections().get(0).failure().code()));
            harness.advance(SECOND);
            assertThat(log).containsExactly("2 " + ErrorCode.UNREACHABLE);
            harness.flows().carries(one -> new Connection(7, 1, 0, new byte[0], null));
            flows.send(flow, result -> log.add("octets " + result.connections().get(1).octets()));
            harness.advance(Duration.ofMillis(999));
            assertThat(log).hasSize(1);
            harness.advance(SECOND);
            assertThat(log).endsWith("octets 7");
            assertThat(harness.flows().flows()).containsExactly(flow, flow);
            for (int i = 0; i < Flows.MOST_FLOWS; i++) {
                assertThat(flows.send(flow, result -> log.add("late"))).isTrue();
            }
            assertThat(flows.send(flow, result -> log.add("late"))).isFalse();
        }
        assertThat(log).doesNotContain("late");
    }

    @Test
    void workersArePlayedByTheTest() throws Exception {
        try (ServiceHarness harness = start()) {
            WorkerHandler handler = new WorkerHandler() {
                @Override
                public void onOctets(Worker worker, ByteBuf octets) {
                    log.add(octets.toString(StandardCharsets.US_ASCII));
                }

                @Override
                public void onWritable(Worker worker) {
                    log.add("room");
                }

                @Override
                public void onClosed(Worker worker, AnepException why) {
                    log.add(why == null ? "well" : why.code().toString());
                }
            };
            Program program = new Program("sort", List.of("-n"));
            Worker worker = bare.context.workers().start(program, handler);
            RecordedWorkers.Started sort = harness.workers().only().room(false);
            assertThat(sort.program()).isEqualTo(program);
            assertThat(worker.write(Unpooled.copiedBuffer("21", StandardCharsets.US_ASCII))).isFalse();
            assertThat(sort.given()).asString(StandardCharsets.US_ASCII).isEqualTo("21");
            worker.finish();
            assertThat(sort.isFinished()).isTrue();
            sort.room(true).says("12".getBytes(StandardCharsets.US_ASCII)).exits(0);
            bare.context.workers().start(program, handler).abort();
            harness.workers().most(0);
            assertThatThrownBy(() -> bare.context.workers().start(program, handler)).hasMessageStartingWith("EE-309 ");
            harness.workers().problemIs("sort is not allowed");
            assertThat(bare.context.workers().problem("sort")).isEqualTo("sort is not allowed");
            assertThatThrownBy(() -> bare.context.workers().start(program, handler)).hasMessageStartingWith("EE-216 ");
            assertThat(log).containsExactly("room", "12", "well", "EE-319");
            assertThatThrownBy(() -> new Program("sort", List.of("\0"))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void tcpStreamsAreToldInEachPeriod() throws Exception {
        try (ServiceHarness harness = start()) {
            bare.context.tcp().follow(SECOND, report -> log.add(report.streams().stream().map(StreamState::octets).toList() + " " + report.ended().size() + " " + report.missed()));
            assertThatThrownBy(() -> bare.context.tcp().follow(Duration.ofMillis(99), report -> log.add("never"))).isInstanceOf(IllegalArgumentException.class);
            harness.tcp().show(tcp(1, 10));
            harness.tcp().show(tcp(2, 20));
            harness.tcp().show(tcp(1, 11));
            harness.advance(SECOND);
            harness.tcp().end(new Ended(tcp(2, 21), 0, null));
            harness.advance(SECOND);
            harness.advance(SECOND);
            assertThat(log).containsExactly("[11, 20] 0 0", "[] 1 0", "[] 0 0");
            assertThat(harness.tcp().period()).isEqualTo(SECOND);
            for (int i = 0; i <= TcpStreams.MOST_STREAMS; i++) {
                harness.tcp().show(tcp(i, 1));
                harness.tcp().end(new Ended(tcp(-1, 1), 0, "cut"));
            }
            harness.advance(SECOND);
            assertThat(log.get(3)).endsWith(" " + TcpStreams.MOST_ENDED + " " + (1 + TcpStreams.MOST_STREAMS + 1 - TcpStreams.MOST_ENDED));
        }
    }

    private static StreamState tcp(long number, long octets) {
        TcpConnection after = RecordedTcp.connection(REFLECTOR, Map.of("rtt", 20_000L, "min_rtt", TcpConnection.NEVER_MEASURED));
        assertThat(after.roundTripMicros()).isEqualTo(20_000);
        assertThat(after.leastRoundTripMicros()).isEqualTo(-1);
        return new StreamState(number, REFLECTOR, REFLECTOR, List.of(0x5401), 0, 0, 0, octets, 0, after, after, null);
    }

    @Test
    void partnersComeAndGoWhileItRuns() throws Exception {
        try (ServiceHarness harness = start()) {
            @SuppressWarnings("rawtypes")
            Partner<Supplier> partner = bare.context.partner(0x5501, Supplier.class);
            assertThat(partner.get()).isNull();
            assertThat(partner.version()).isNull();
            assertThat(harness.wanted()).containsExactly(0x5501);
            Supplier<String> first = () -> "first";
            harness.partner(0x5501, first);
            String version = partner.version();
            assertThat(partner.get()).isSameAs(first);
            harness.partner(0x5501, (Supplier<String>) () -> "second");
            assertThat(partner.get().get()).isEqualTo("second");
            assertThat(partner.version()).isNotEqualTo(version);
            harness.partner(0x5501, "no supplier");
            assertThat(partner.get()).isNull();
            harness.partner(0x5501, null);
            assertThat(partner.get()).isNull();
        }
    }

    @Test
    void operatorsAskAndChangeOptions() throws Exception {
        try (ServiceHarness harness = start()) {
            assertThat(harness.inspect("sessions", Map.of("most", "3"))).containsEntry("sessions", Map.of("most", "3"));
            assertThat(harness.reconfigure(Map.of("level", 5))).isTrue();
            assertThat(bare.level).isEqualTo(5);
            assertThatThrownBy(() -> harness.reconfigure(Map.of("level", 10))).hasMessageContaining("EE-501");
            assertThatThrownBy(() -> harness.reconfigure(Map.of("lebel", 1))).hasMessageContaining("EE-501").hasMessageContaining("lebel");
        }
    }

    @Test
    void blocksAreFoundByTheirNamesUntilTheyAreDamagedOrTooMany() throws Exception {
        List<String> told = new ArrayList<>();
        ServiceContext[] given = new ServiceContext[1];
        ActiveService keeps = new ActiveService() {
            @Override
            public void start(ServiceContext service) {
                given[0] = service;
            }

            @Override
            public StreamHandler open(StreamContext stream) {
                return (packet, out) -> Verdict.PASS;
            }
        };
        try (ServiceHarness harness = ServiceHarness.start(keeps, Map.of())) {
            Blocks blocks = given[0].blocks();
            blocks.put(Unpooled.wrappedBuffer(new byte[] {1, 2})).thenAccept(told::add);
            assertThat(told).isEmpty();
            harness.advance(Duration.ZERO);
            String name = RecordedBlocks.name(new byte[] {1, 2});
            assertThat(told).containsExactly(name);
            assertThat(blocks.has(name)).isTrue();
            blocks.get(name).thenAccept(found -> told.add(ByteBufUtil.hexDump(found)));
            harness.advance(Duration.ZERO);
            assertThat(told).endsWith("0102");
            harness.blocks().damage(name);
            blocks.get(name).thenAccept(found -> told.add("nothing: " + found));
            harness.blocks().most(3);
            blocks.put(Unpooled.wrappedBuffer(new byte[] {3, 4}));
            blocks.put(Unpooled.wrappedBuffer(new byte[] {5, 6}));
            blocks.put(Unpooled.wrappedBuffer(new byte[4])).whenComplete((done, failure) -> told.add(String.valueOf(failure.getMessage())));
            harness.advance(Duration.ZERO);
            assertThat(told).endsWith("nothing: null", "EE-813 a block of 4 octets");
            assertThat(blocks.octets()).isEqualTo(2);
        }
    }
}
