package org.tamanoir.service.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;

/** Time under test: it stands still until the test moves it, and then everything happens in the order of its time. */
class StreamTasksTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<StreamContext> contexts = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private ServiceHarness harness;

    @AfterEach
    void close() {
        harness.close();
    }

    private StreamHarness open(StreamHandler handler) throws Exception {
        if (harness == null) {
            harness = ServiceHarness.start((ActiveService) context -> {
                contexts.add(context);
                return handler;
            }, Map.of());
        }
        return harness.open(Position.ONLY);
    }

    private StreamHarness open() throws Exception {
        return open((packet, out) -> Verdict.PASS);
    }

    private static void say(Output out, String word) {
        out.emitPayload(out.allocator().buffer().writeBytes(word.getBytes(US_ASCII)));
    }

    private static List<String> words(List<Packet> packets) {
        return packets.stream().map(packet -> packet.payload().toString(US_ASCII)).toList();
    }

    private Task noted(String word) {
        return new Task() {
            @Override
            public void run(Output forward, Output back) {
                log.add(word);
            }

            @Override
            public void discarded() {
                log.add(word + " discarded");
            }
        };
    }

    @Test
    void timersRunAtTheirTimeAndNotBefore() throws Exception {
        StreamHarness stream = open().at(1_000);
        StreamContext context = contexts.get(0);
        context.later(Duration.ofSeconds(2), (forward, back) -> say(forward, "second at " + context.nanoTime()));
        context.later(SECOND, (forward, back) -> {
            say(forward, "first at " + context.nanoTime());
            say(back, "answer");
            context.later(Duration.ofMillis(500), (again, unused) -> say(again, "between"));
        });
        assertThat(stream.advance(SECOND.minusNanos(1)).toDestination()).isEmpty();
        Emitted emitted = stream.advance(SECOND.multipliedBy(5));
        assertThat(words(emitted.toDestination())).containsExactly("first at 1000001000", "between", "second at 2000001000");
        assertThat(words(emitted.toSource())).containsExactly("answer");
        assertThat(context.nanoTime()).isEqualTo(1_000 + 6_000_000_000L - 1);
        assertThat(stream.advance(SECOND).toDestination()).as("told once").isEmpty();
    }

    @Test
    void oneStreamLetsAnotherEmit() throws Exception {
        StreamHarness first = open((packet, out) -> {
            contexts.get(1).execute((forward, back) -> say(forward, "from the first"));
            return Verdict.TAKEN;
        });
        StreamHarness second = open();
        assertThat(first.toDestination(new byte[1]).onward()).isEmpty();
        assertThat(first.advance(Duration.ZERO).toDestination()).isEmpty();
        assertThat(words(second.advance(Duration.ZERO).toDestination())).containsExactly("from the first");
    }

    @Test
    void everyTaskIsRunOrDiscardedOnce() throws Exception {
        StreamHarness stream = open();
        StreamContext context = contexts.get(0);
        context.later(SECOND, noted("early"));
        assertThat(context.later(SECOND, noted("cancelled")).cancel()).isTrue();
        context.later(SECOND.multipliedBy(3), noted("late"));
        stream.advance(SECOND);
        context.execute(noted("waiting"));
        stream.close();
        assertThat(context.execute(noted("refused"))).isFalse();
        context.later(SECOND, noted("after"));
        harness.advance(SECOND.multipliedBy(9));
        assertThat(log).containsExactly("cancelled discarded", "early", "late discarded", "waiting discarded", "after discarded");
    }

    @Test
    void theirNumberIsBounded() throws Exception {
        open();
        StreamContext context = contexts.get(0);
        for (int i = 0; i < StreamContext.MOST_TIMERS; i++) {
            context.later(SECOND, noted("timer"));
        }
        assertThatThrownBy(() -> context.later(SECOND, noted("one more"))).isInstanceOf(AnepException.class).hasMessageContaining("EE-309");
        for (int i = 0; i < StreamContext.MOST_TASKS; i++) {
            assertThat(context.execute(noted("task"))).isTrue();
        }
        assertThat(context.execute(noted("one more"))).isFalse();
        harness.advance(SECOND);
        assertThat(log).hasSize(StreamContext.MOST_TIMERS + StreamContext.MOST_TASKS);
    }

    @Test
    void anEndThatIsHeldGoesOnWhenItIsReleased() throws Exception {
        StreamHarness stream = open(new StreamHandler() {
            @Override
            public Verdict onPacket(Packet packet, Output out) {
                return Verdict.PASS;
            }

            @Override
            public void onEnd(Output out) {
                out.holdEnd();
                contexts.get(0).later(SECOND, (forward, back) -> {
                    forward.releaseEnd();
                    say(forward, "owed");
                });
            }
        });
        stream.end();
        assertThat(stream.hasEnded()).isFalse();
        assertThat(words(stream.advance(SECOND).toDestination())).containsExactly("owed");
        assertThat(stream.hasEnded()).isTrue();
    }

    @Test
    void nothingIsEmittedBehindAnEnd() throws Exception {
        StreamHarness stream = open();
        stream.end();
        assertThat(stream.hasEnded()).isTrue();
        contexts.get(0).execute((forward, back) -> {
            say(back, "allowed");
            say(forward, "too late");
        });
        assertThatThrownBy(() -> stream.advance(Duration.ZERO)).isInstanceOf(ContractViolation.class).hasMessageContaining("after the end");
    }

    @Test
    void anEndIsHeldOnlyWhileItIsTold() throws Exception {
        StreamHarness stream = open((packet, out) -> {
            out.holdEnd();
            return Verdict.PASS;
        });
        assertThatThrownBy(() -> stream.toDestination(new byte[1])).isInstanceOf(ContractViolation.class).hasMessageContaining("onEnd");
    }
}
