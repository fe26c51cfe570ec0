package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** The services of one stream: opened all or none, in a row for each direction, closed once. */
class ServiceChainTest {
    private static final int A = StageRig.TYPE;
    private static final int B = 0x5502;
    private static final int C = 0x5503;

    private final StageRig rig = new StageRig();
    private final List<RunningService> services = new ArrayList<>();
    private final List<String> said = new ArrayList<>();
    private Transport transport = Transport.TCP;
    private ServiceChain chain;

    @AfterEach
    void nothingIsLeft() {
        if (chain != null) {
            chain.close();
        }
        assertThat(services).allSatisfy(service -> assertThat(service.streams()).as("streams of %s", service).isZero());
        rig.close();
    }

    /** Adds its letter to each payload, and says what happens to it. */
    private class Adds implements StreamHandler {
        final String letter;

        Adds(String letter) {
            this.letter = letter;
        }

        private Verdict add(Packet packet, Output out) {
            out.emitPayload(Unpooled.copiedBuffer(Recorder.text(packet) + letter, StandardCharsets.UTF_8));
            return Verdict.TAKEN;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return add(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            return add(packet, out);
        }

        @Override
        public void onEnd(Output out) {
            out.emitPayload(Unpooled.copiedBuffer("end" + letter, StandardCharsets.UTF_8));
        }

        @Override
        public Map<String, Object> report() {
            return Map.of("letter", letter);
        }

        @Override
        public void close() {
            said.add("close " + letter);
        }
    }

    private RunningService adds(int typeId, String letter) {
        return has(typeId, letter, FailurePolicy.RESTART, stream -> new Adds(letter));
    }

    private RunningService has(int typeId, String name, FailurePolicy policy, ActiveService service) {
        RunningService running = TestService.of(typeId, name, Level.MIDDLE, policy, service);
        services.add(running);
        return running;
    }

    private ServiceChain opens() {
        services.forEach(service -> assertThat(service.open()).isTrue());
        chain = new ServiceChain(StageRig.info(transport, A, B, C), address -> false, List.copyOf(services), rig.loop, rig.memory, rig.watch);
        return chain;
    }

    private void task(StreamContext stream, String name) {
        stream.execute(new Task() {
            @Override
            public void run(Output forward, Output back) {
                said.add(name);
            }

            @Override
            public void discarded() {
                said.add("no " + name);
            }
        });
    }

    /** What it asks is answered of this stream, and not by what a context says that knows none. */
    @Test
    void aServiceIsToldWhoIsThereAndWhetherItsTaskWillRun() throws Exception {
        StreamContext[] context = new StreamContext[1];
        RunningService asks = has(A, "asks", FailurePolicy.RESTART, stream -> {
            context[0] = stream;
            return new Adds("a");
        });
        assertThat(asks.open()).isTrue();
        chain = new ServiceChain(StageRig.info(transport, A), InetAddress::isLoopbackAddress, List.copyOf(services), rig.loop, rig.memory, rig.watch);
        assertThat(context[0].isPeer(InetAddress.getLoopbackAddress())).isTrue();
        assertThat(context[0].isPeer(InetAddress.getByName("192.0.2.1"))).isFalse();
        assertThat(context[0].isFromPeer()).isEqualTo(StageRig.info(transport, A).believed());
        assertThat(Math.abs(context[0].nanoTime() - System.nanoTime())).isLessThan(Duration.ofMinutes(1).toNanos());
        assertThat(context[0].execute((forward, back) -> { })).isTrue();
        assertThat(context[0].later(Duration.ofHours(1), (forward, back) -> { })).isNotNull();
        assertThat(chain.services()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServiceSaysInOpenThatTheNextHopIsConnectedLaterAndOnlyTcpWaits(boolean tcp) {
        transport = tcp ? Transport.TCP : Transport.UDP;
        StreamContext[] context = new StreamContext[1];
        has(A, "answers", FailurePolicy.RESTART, stream -> {
            context[0] = stream;
            assertThat(stream.connectLater()).isEqualTo(tcp);
            return new Adds("a");
        });
        adds(B, "b");
        assertThat(opens().connectsLater()).isEqualTo(tcp);
        assertThatThrownBy(() -> context[0].connectLater()).isInstanceOf(IllegalStateException.class);
        services.clear();
        chain.close();
        adds(C, "c");
        assertThat(opens().connectsLater()).isFalse();
    }

    // Order.

    @Test
    void packetsMeetTheServicesInOrderAndAnswersInReverse() {
        adds(A, "a");
        adds(B, "b");
        adds(C, "c");
        Stage forward = opens().forward(rig.taken, rig.flow);
        Stage back = chain.back(rig.returned, rig.flowBack);
        rig.send(forward, "x");
        rig.send(back, "y");
        assertThat(rig.taken.take()).containsExactly("xabc");
        assertThat(rig.returned.take()).containsExactly("ycba");
        forward.end();
        back.end();
        assertThat(rig.taken.packets()).as("what each owes goes through those behind it").containsExactly("endabc", "endbc", "endc", "end");
        assertThat(rig.returned.packets()).containsExactly("end");
        assertThat(chain.names()).containsExactly("a", "b", "c");
        assertThat(chain.isHeavy()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatARuleForwardsGoesPastTheServiceInTheHeaderAloneIfItIsThere(boolean there) {
        if (there) {
            adds(A, "a");
        }
        adds(B, "b");
        opens().forward(rig.taken, rig.flow);
        rig.send(chain.past(), "x");
        assertThat(rig.taken.packets()).containsExactly("xb");
        assertThat(chain.endsWithRule()).isFalse();
    }

    @Test
    void withoutServicesPacketsGoStraightToTheLastStep() {
        assertThat(opens().forward(rig.taken, rig.flow)).isSameAs(rig.taken);
        assertThat(chain.past()).isSameAs(rig.taken);
        assertThat(chain.back(rig.returned, rig.flowBack)).isSameAs(rig.returned);
        assertThat(chain.endsWithRule()).isTrue();
    }

    @Test
    void theFirstPacketThatIsLeftGetsADestination() {
        adds(A, "a");
        Stage forward = opens().forward(rig.taken, rig.flow);
        rig.send(forward, "x", "y");
        assertThat(rig.taken.last.hasOptions()).as("the second").isFalse();
        rig.send(chain.past(), "z");
        assertThat(rig.taken.take()).containsExactly("xa", "ya", "z");
    }

    // Opening.

    @Test
    void aServiceThatRefusesClosesThoseThatWereOpenedBefore() {
        adds(A, "a");
        has(B, "b", FailurePolicy.BYPASS, stream -> {
            task(stream, "of b");
            throw new AnepException(ErrorCode.QOS_NOT_ALLOWED, "not you");
        });
        adds(C, "c");
        assertThatThrownBy(this::opens).hasMessageStartingWith("EE-804");
        assertThat(said).as("c is never opened").containsExactly("no of b", "close a");
    }

    @Test
    void aServiceThatFailsToOpenEndsTheStreamOrIsLeftOut() {
        RunningService none = has(A, "a", FailurePolicy.RESTART, stream -> null);
        assertThatThrownBy(this::opens).hasMessageStartingWith("EE-306");
        assertThat(none.errors()).isEqualTo(1);
        services.clear();
        has(A, "a", FailurePolicy.BYPASS, stream -> {
            throw new IllegalStateException("a defect");
        });
        adds(B, "b");
        rig.send(opens().forward(rig.taken, rig.flow), "x");
        assertThat(rig.taken.packets()).containsExactly("xb");
        assertThat(services.get(0).streams()).as("it is used all the same, until the stream is over").isEqualTo(1);
    }

    @Test
    void aServiceThatIsToDropDropsWhatItShouldHaveSeen() {
        RunningService dropping = has(A, "a", FailurePolicy.DROP, stream -> {
            throw new IllegalStateException("a defect");
        });
        Stage forward = opens().forward(rig.taken, rig.flow);
        rig.send(forward, "x");
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(dropping.drops()).isEqualTo(Map.of("service-failed", 1L));
        forward.end();
        assertThat(rig.taken.packets()).as("an empty packet opens the stream at the next hop").containsExactly("", "end");
    }

    @Test
    void aServiceSeesWhatIsKnownOfTheStream() {
        List<StreamContext> seen = new ArrayList<>();
        has(A, "a", FailurePolicy.RESTART, stream -> {
            seen.add(stream);
            return new Adds("a");
        });
        opens();
        StreamContext stream = seen.get(0);
        assertThat(stream.id()).isEqualTo(42);
        assertThat(stream.typeId()).isEqualTo(A);
        assertThat(stream.chain()).containsExactly(A, B, C);
        assertThat(stream.position()).isEqualTo(Position.INGRESS);
        assertThat(stream.source()).isEqualTo(StageRig.SOURCE);
        assertThat(stream.destination()).isEqualTo(StageRig.DESTINATION);
        assertThat(stream.next()).isEqualTo(StageRig.NEXT);
        assertThat(stream.transport()).isEqualTo(Transport.TCP);
        assertThat(stream.service().name()).isEqualTo("a");
    }

    @Test
    void whatAServiceAsksForWhileItIsOpenedIsDoneWhenTheStreamFlows() {
        has(A, "a", FailurePolicy.RESTART, stream -> {
            task(stream, "task");
            stream.later(Duration.ofMillis(10), (forward, back) -> said.add("timer"));
            assertThat(stream.pauseSource(true)).isTrue();
            assertThat(stream.holdToRate(true)).isTrue();
            return new Adds("a");
        });
        opens();
        rig.pass(20);
        assertThat(said).isEmpty();
        chain.forward(rig.taken, rig.flow);
        rig.run();
        assertThat(said).as("one direction stands").isEmpty();
        assertThat(rig.flow.paused).as("for two reasons").isEqualTo(2);
        chain.back(rig.returned, rig.flowBack);
        rig.run();
        assertThat(said).containsExactly("task", "timer");
    }

    @Test
    void datagramsAreNotMadeToWait() {
        transport = Transport.UDP;
        has(A, "a", FailurePolicy.RESTART, stream -> {
            assertThat(stream.pauseSource(true)).isFalse();
            assertThat(stream.holdToRate(true)).isFalse();
            return new Adds("a");
        });
        opens().forward(rig.taken, rig.flow);
        assertThat(rig.flow.paused).isZero();
    }

    // The end.

    @Test
    void eachHandlerIsClosedOnceAndWhatWaitsIsDiscardedBefore() {
        has(A, "a", FailurePolicy.RESTART, stream -> {
            task(stream, "task");
            return new Adds("a");
        });
        has(B, "b", FailurePolicy.RESTART, stream -> new Adds("b") {
            @Override
            public void close() {
                super.close();
                throw new IllegalStateException("a defect");
            }
        });
        adds(C, "c");
        opens();
        chain.close();
        chain.close();
        assertThat(said).containsExactly("no task", "close a", "close b", "close c");
        assertThat(services.get(1).errors()).isEqualTo(1);
    }

    @Test
    void everyServiceReportsByItsNameAndAFailureIsItsReport() {
        adds(A, "a");
        has(B, "b", FailurePolicy.RESTART, stream -> new Adds("b") {
            @Override
            public Map<String, Object> report() {
                throw new IllegalStateException("a defect");
            }
        });
        var report = opens().report();
        rig.run();
        assertThat(report).isCompletedWithValue(Map.of("a", Map.of("letter", "a"), "b", Map.of("error", "java.lang.IllegalStateException: a defect")));
    }
}
