package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.wasm.stream.ModuleCounters.OWN;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.StreamHarness;

/** What the host does when a filter asks for it; the filter ({@code filters/c/obey.c}) does what it is told. */
class FilterStreamTest {
    private TestFilter filter;
    private StreamHarness stream;

    @BeforeEach
    void open() throws Exception {
        filter = TestFilter.of("obey", Map.of());
        stream = filter.open();
    }

    @AfterEach
    void close() {
        stream.close();
        filter.close();
    }

    private String sent(String text) throws Exception {
        return TestFilter.onward(stream.toDestination(text.getBytes(UTF_8)));
    }

    private List<String> answered(String text) throws Exception {
        sent(text);
        return filter.said();
    }

    @Test
    void whatAFilterDoesNotTouchPassesAsItCame() throws Exception {
        assertThat(stream.toDestination("nothing".getBytes(UTF_8)).verdict()).isSameAs(Verdict.PASS);
        assertThat(stream.toSource("nothing".getBytes(UTF_8)).verdict()).isSameAs(Verdict.PASS);
        assertThat(filter.said()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"append, append-end|", "prepend, begin-prepend|", "replace, instead|", "inject, in...ct|", "empty, ''"})
    void aFilterChangesWhatGoesOn(String word, String expected) throws Exception {
        assertThat(sent(word)).isEqualTo(expected);
        assertThat(filter.said()).containsExactly("0");
        assertThat(sent("then")).isEqualTo("then|");
    }

    @Test
    void whatIsLongerThanAPacketGoesOnInSeveral() throws Exception {
        stream.toDestination(new byte[40_000]);
        assertThat(Arrays.stream(sent("big").split("\\|")).mapToInt(String::length)).hasSize(2).satisfies(sizes -> assertThat(sizes.get(0) + sizes.get(1)).isEqualTo(70_003));
    }

    @Test
    void moreThanTheRatioOfWhatCameEndsTheStream() throws Exception {
        assertThatThrownBy(() -> sent("big")).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_FORBIDDEN));
    }

    @Test
    void runsAreShownInOneCall() throws Exception {
        assertThat(TestFilter.onward(stream.toDestinationTogether(List.of("pre".getBytes(UTF_8), "pend".getBytes(UTF_8), "!".getBytes(UTF_8)))))
                .isEqualTo("begin-prepend!|");
        assertThat(TestFilter.onward(stream.toDestinationTogether(List.of("a".getBytes(UTF_8), "b".getBytes(UTF_8))))).isEqualTo("a|b|");
    }

    @ParameterizedTest
    @CsvSource({"part of it, art", "beyond, 2", "header, 1", "unknown, 2", "address, 6", "level, 2", "size of it, 10", "root, 1", "foreign, 2", "queue, 12", "done, 1"})
    void aMistakeIsAStatusAndNoHarm(String word, String answer) throws Exception {
        assertThat(answered(word)).containsExactly(answer);
        assertThat(sent("then")).isEqualTo("then|");
    }

    @Test
    void aFilterAsksForItsStreamByProperties() throws Exception {
        assertThat(answered("where source\0address")).first().asString().matches("[0-9.]+:\\d+");
        assertThat(answered("where destination\0port")).first().asString().isEqualTo(String.valueOf(stream.context().destination().getPort()));
        assertThat(answered("where upstream\0address")).first().asString().matches("[0-9.]+:\\d+");
        assertThat(answered("where connection_id")).first().asString().isEqualTo(String.valueOf(stream.context().id()));
        assertThat(answered("where plugin_name")).isNotEqualTo(List.of("1"));
        assertThat(answered("where request\0path")).containsExactly("1");
    }

    @Test
    void sharedDataAreSetByCompareAndSwap() throws Exception {
        assertThat(answered("cas")).containsExactly("0", "8");
    }

    @Test
    void metricsAreThoseOfTheServiceAndRefuseWhatHasNoSense() throws Exception {
        assertThat(answered("metric")).containsExactly("2", "2", "7", "1", "2");
        assertThat(filter.harness().metrics().value("obey_count")).isEqualTo(7);
        assertThat(filter.harness().metrics().histogram("obey_sizes").sum()).isEqualTo(50);
    }

    @Test
    void whatAFilterHoldsBackGoesOnWhenItSaysSo() throws Exception {
        assertThat(sent("hold")).isEmpty();
        assertThat(sent("ing on")).isEmpty();
        stream.toSource("go on".getBytes(UTF_8));
        Emitted emitted = stream.advance(Duration.ZERO);
        assertThat(emitted.toDestination()).extracting(packet -> packet.payload().toString(UTF_8)).containsExactly("hold", "ing on");
        assertThat(sent("and on")).isEqualTo("and on|");
    }

    @Test
    void aSourceWaitsWhileMuchIsHeldBackAndBeyondTheBoundTheStreamEnds() throws Exception {
        sent("hold");
        byte[] much = new byte[60_000];
        for (int i = 0; i < 5; i++) {
            assertThat(stream.isSourcePaused()).isEqualTo(false);
            stream.toDestination(much);
        }
        assertThat(stream.isSourcePaused()).isTrue();
        assertThatThrownBy(() -> {
            for (int i = 0; i < 20; i++) {
                stream.toDestination(much);
            }
        }).isInstanceOf(AnepException.class).hasMessageContaining("holds back");
    }

    @Test
    void aTickComesAndCanLetGoOn() throws Exception {
        assertThat(sent("wait")).isEmpty();
        assertThat(stream.advance(Duration.ofMillis(29)).toDestination()).isEmpty();
        assertThat(stream.advance(Duration.ofMillis(2)).toDestination()).hasSize(1);
        assertThat(filter.said()).containsExactly("0");
        assertThat(filter.harness().timers()).as("no tick goes on for nothing").isZero();
    }

    @Test
    void aConnectionThatTheFilterHoldsUpIsShownNothingUntilItIsLetBe() throws Exception {
        try (TestFilter late = TestFilter.of("obey", Map.of("configuration", "late")); StreamHarness held = late.open()) {
            assertThat(TestFilter.onward(held.toDestination("prepend".getBytes(UTF_8)))).isEmpty();
            assertThat(TestFilter.onward(held.toSource("answer".getBytes(UTF_8)))).isEmpty();
            Emitted emitted = held.advance(Duration.ofMillis(40));
            assertThat(emitted.toDestination()).extracting(packet -> packet.payload().toString(UTF_8)).containsExactly("begin-prepend");
            assertThat(emitted.toSource()).extracting(packet -> packet.payload().toString(UTF_8)).containsExactly("answer");
        }
    }

    @Test
    void theEndWaitsForWhatIsHeldBack() throws Exception {
        sent("wait");
        stream.end();
        assertThat(stream.hasEnded()).isFalse();
        assertThat(stream.advance(Duration.ofMillis(40)).toDestination()).hasSize(1);
        assertThat(stream.hasEnded()).isTrue();
    }

    @Test
    void aFilterLetsGoAtTheEnd() throws Exception {
        assertThat(sent("hold")).isEmpty();
        assertThat(TestFilter.onward(stream.end())).isEqualTo("hold|");
        assertThat(stream.hasEnded()).isTrue();
    }

    @Test
    void aFilterClosesItsStreamInBothDirections() throws Exception {
        assertThat(answered("close")).containsExactly("0");
        stream.advance(Duration.ZERO);
        assertThat(stream.hasEnded()).isTrue();
        assertThat(stream.hasReturnEnded()).isTrue();
        stream.close();
        assertThat(filter.said()).containsExactly("closed by 1");
    }

    @Test
    void aFilterHearsWhoHasEnded() throws Exception {
        sent("then");
        stream.end();
        stream.returnEnd();
        stream.close();
        assertThat(filter.said()).containsExactly("closed by 2");
    }

    @Test
    void aStreamGetsTheInstanceOfOneThatHasEndedWellAndNoneOfOneThatFailed() throws Exception {
        sent("then");
        stream.close();
        stream = filter.open();
        sent("then");
        assertThat(filter.harness().metrics().value(OWN + "started")).isEqualTo(1);
        assertThatThrownBy(() -> sent("trap")).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TRAPPED));
        stream.close();
        assertThat(filter.harness().metrics().value(OWN + "instances")).isZero();
        stream = filter.open();
        assertThat(sent("then")).isEqualTo("then|");
        assertThat(filter.harness().metrics().value(OWN + "started")).isEqualTo(2);
    }

    @Test
    void twoStreamsAtOnceHaveTwoInstances() throws Exception {
        sent("hold");
        try (StreamHarness other = filter.open()) {
            assertThat(TestFilter.onward(other.toDestination("then".getBytes(UTF_8)))).isEqualTo("then|");
            assertThat(filter.harness().metrics().value(OWN + "started")).isEqualTo(2);
        }
    }

    @Test
    @Tag("long")
    void anEndlessLoopEndsItsStream() {
        assertThatThrownBy(() -> sent("loop")).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TOO_SLOW));
    }

    @ParameterizedTest
    @CsvSource({"configuration, !", "vm-configuration, no!!"})
    void aConfigurationThatAFilterDoesNotTakeIsAnErrorAtItsStart(String option, String text) {
        assertThatThrownBy(() -> TestFilter.of("obey", Map.of(option, text))).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
    }

    @Test
    void datagramsAreRefused() {
        assertThatThrownBy(() -> filter.harness().open(Position.ONLY, Transport.UDP)).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_REFUSED));
    }
}
