package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.stream.StageRig.payload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.Level;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.Verdict;

/** What comes together is given to a handler of runs in one call, goes on in its order, and is treated by the policy where the call fails. */
class HandlerOfRunsTest {
    private static final Verdict LATE = Verdict.drop("late");

    private final StageRig rig = new StageRig();
    private final List<String> calls = new ArrayList<>();
    private StageRig.Handling handling;

    private final class Scripted implements RunHandler {
        private final boolean gathers;

        Scripted(boolean gathers) {
            this.gathers = gathers;
        }

        @Override
        public boolean gathers() {
            return gathers;
        }

        @Override
        public void onRun(Run run, Output out) {
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < run.count(); i++) {
                String text = Recorder.text(run.packet(i));
                seen.add(text);
                switch (text) {
                    case "drop" -> run.verdict(i, LATE);
                    case "swap" -> {
                        run.verdict(i, Verdict.TAKEN);
                        run.settle(i);
                        out.emitPayload(payload(out, "x"));
                    }
                    case "behind" -> {
                        run.settle(i);
                        out.emitPayload(payload(out, "y"));
                    }
                    case "mark" -> out.mark(10);
                    case "bad" -> throw new IllegalStateException("a defect");
                    case "late" -> run.verdict(0, LATE);
                    case "finish" -> {
                        run.settle(i);
                        out.finish();
                    }
                    default -> { }
                }
            }
            assertThat(run.length()).isEqualTo(IntStream.range(0, run.count()).map(i -> run.packet(i).length()).sum());
            calls.add(String.join(" ", seen) + (run.isUniform() ? " alike" : ""));
        }
    }

    private void opens(FailurePolicy policy) {
        opens(policy, true);
    }

    private void opens(FailurePolicy policy, boolean gathers) {
        Scripted handler = new Scripted(gathers);
        RunningService service = TestService.of(StageRig.TYPE, "heavy", Level.MIDDLE, policy, stream -> handler);
        handling = rig.handle(service, handler);
    }

    @AfterEach
    void nothingIsLeft() {
        handling.opened().tasks().discard();
        rig.close();
    }

    @Test
    void whatComesTogetherIsOneCallAndGoesOnInItsOrder() {
        opens(FailurePolicy.RESTART);
        rig.send(handling.forward(), "a", "swap", "drop", "behind", "b");
        assertThat(rig.taken.take()).as("before the read is over").isEmpty();
        handling.forward().flush();
        assertThat(calls).containsExactly("a swap drop behind b");
        assertThat(rig.taken.take()).containsExactly("a", "x", "behind", "y", "b", "flush");
        assertThat(handling.service().drops()).isEqualTo(Map.of("late", 1L));
        rig.send(handling.back(), "here");
        handling.back().flush();
        assertThat(rig.returned.take()).containsExactly("here", "flush");
    }

    @Test
    void nothingOvertakesARun() {
        opens(FailurePolicy.RESTART);
        rig.send(handling.back(), "a");
        rig.sendError(handling.back());
        assertThat(rig.returned.take()).containsExactly("a", "error");
        rig.send(handling.forward(), "b");
        handling.opened().tasks().execute((forward, back) -> forward.emitPayload(payload(forward, "task")));
        rig.run();
        rig.send(handling.forward(), "c");
        handling.forward().end();
        assertThat(rig.taken.packets()).containsExactly("b", "task", "c", "end");
    }

    @Test
    void plainPacketsAreARunAsTheyAre() {
        opens(FailurePolicy.RESTART);
        assertThat(handling.forward().takesRuns()).isTrue();
        rig.send(handling.forward(), "a");
        rig.sendTogether(handling.forward(), "b", "cc", "d");
        assertThat(rig.taken.take()).containsExactly("a", "b", "cc", "d");
        assertThat(rig.taken.runs).as("as one piece").isEqualTo(1);
        rig.sendTogether(handling.forward(), "b", "behind", "d");
        assertThat(rig.taken.take()).containsExactly("b", "behind", "y", "d");
        rig.sendTogether(handling.forward(), "e", "swap", "drop", "behind", "f");
        assertThat(rig.taken.take()).containsExactly("e", "x", "behind", "y", "f");
        assertThat(rig.taken.runs).as("where the handler has said something, one by one").isEqualTo(1);
        rig.sendTogether(handling.forward(), "h", "j");
        assertThat(rig.taken.take()).containsExactly("h", "j");
        rig.sendTogether(handling.forward(), "g", "finish");
        rig.sendTogether(handling.forward(), "h", "i");
        assertThat(rig.taken.packets()).containsExactly("g", "finish", "end");
        assertThat(calls).containsExactly("a", "b cc d", "b behind d", "e swap drop behind f", "h j alike", "g finish");
        handling.forward().flush();
        assertThat(handling.service().packets()).isEqualTo(16);
        assertThat(handling.service().drops()).isEqualTo(Map.of("late", 1L, "after-end", 2L));
    }

    @Test
    void whoDoesNotGatherIsGivenSinglePacketsAtOnce() {
        opens(FailurePolicy.BYPASS, false);
        rig.send(handling.forward(), "a", "swap", "drop");
        rig.lend(handling.forward(), rig.buffer(StageRig.TYPE, null, "b"), 46);
        assertThat(rig.taken.take()).containsExactly("a", "x", "b@46");
        rig.sendTogether(handling.forward(), "c", "d");
        assertThat(calls).containsExactly("a", "swap", "drop", "b", "c d alike");
        rig.send(handling.forward(), "bad", "e");
        handling.forward().flush();
        assertThat(rig.taken.packets()).containsExactly("c", "d", "bad", "e");
        assertThat(handling.service().packets()).isEqualTo(7);
    }

    @Test
    void plainPacketsHaveTheCodePointThatTheHandlerSets() {
        opens(FailurePolicy.RESTART);
        rig.sendTogether(handling.forward(), "a", "mark");
        rig.sendTogether(handling.forward(), "b", "c");
        assertThat(rig.taken.packets()).containsExactly("a@10", "mark@10", "b@10", "c@10");
    }

    @Test
    void whereACallWithPlainPacketsFailsThePolicyHolds() {
        opens(FailurePolicy.BYPASS);
        rig.sendTogether(handling.forward(), "behind", "a", "bad", "b");
        rig.sendTogether(handling.forward(), "c", "d");
        assertThat(rig.taken.packets()).containsExactly("behind", "y", "a", "bad", "b", "c", "d");
        opens(FailurePolicy.DROP);
        rig.sendTogether(handling.forward(), "behind", "a", "bad", "b");
        rig.sendTogether(handling.forward(), "c", "d");
        assertThat(rig.taken.packets()).containsExactly("behind", "y");
        assertThat(handling.service().drops()).isEqualTo(Map.of("service-failed", 5L));
    }

    @Test
    void aRunHasItsBoundsAndOneCodePoint() {
        opens(FailurePolicy.RESTART);
        for (int i = 0; i < Run.MOST_PACKETS + 1; i++) {
            rig.send(handling.forward(), "p");
        }
        String large = "l".repeat(Run.MOST_OCTETS + 1);
        rig.send(handling.forward(), "q", large, "r");
        rig.lend(handling.forward(), rig.buffer(StageRig.TYPE, null, "s"), 46);
        handling.forward().flush();
        assertThat(calls).containsExactly("p ".repeat(Run.MOST_PACKETS).strip(), "p q", large, "r", "s");
        assertThat(rig.taken.packets()).endsWith("r", "s@46").hasSize(Run.MOST_PACKETS + 5);
    }

    @Test
    void whereACallFailsWhatIsNotSettledIsTreatedByThePolicy() {
        opens(FailurePolicy.BYPASS);
        rig.send(handling.forward(), "behind", "a", "bad", "b");
        handling.forward().flush();
        rig.send(handling.forward(), "c");
        assertThat(rig.taken.packets()).containsExactly("behind", "y", "a", "bad", "b", "c");
        opens(FailurePolicy.DROP);
        rig.send(handling.forward(), "behind", "a", "bad", "b");
        handling.forward().flush();
        assertThat(rig.taken.packets()).containsExactly("behind", "y");
        assertThat(handling.service().drops()).isEqualTo(Map.of("service-failed", 3L));
        opens(FailurePolicy.RESTART);
        rig.send(handling.forward(), "a", "bad");
        handling.forward().flush();
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
    }

    @Test
    void aVerdictOnWhatHasGoneOnIsADefect() {
        opens(FailurePolicy.RESTART);
        rig.send(handling.forward(), "behind", "late");
        handling.forward().flush();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(rig.taken.packets()).containsExactly("behind", "y");
    }

    @Test
    void aHandlerMayEndItsDirectionInTheMiddleOfARun() {
        opens(FailurePolicy.RESTART);
        rig.send(handling.forward(), "a", "finish");
        handling.forward().flush();
        rig.send(handling.forward(), "lost");
        assertThat(rig.taken.packets()).containsExactly("a", "finish", "end");
        assertThat(handling.service().drops()).isEqualTo(Map.of("after-end", 1L));
    }
}
