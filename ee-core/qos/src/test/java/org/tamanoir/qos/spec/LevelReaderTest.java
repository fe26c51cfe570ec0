package org.tamanoir.qos.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.qos.ServiceLevel.Transfer;
import org.tamanoir.service.rule.Prefix;

class LevelReaderTest {
    private static final String WHOLE = """
            {"flow": {"transport": "udp", "source": "10.1.0.0/16", "destination": "10.2.0.7", "sourcePort": 4000, "destinationPort": 7000,
                      "stream": "2a"},
             "scope": {"ingress": "00000000000000a1", "egress": ["00000000000000b1", "00000000000000b2"]},
             "customer": "atlas",
             "objectives": {"maxDelayMs": 10, "jitter": "low", "maxLossPct": 0.5, "minRateMbps": 8},
             "traffic": {"rate": 1000000, "bucket": 30000, "peak": 2000000, "mtu": 1400, "least": 64},
             "excess": "shape:10ms",
             "schedule": {"start": "2026-05-01T12:00:00Z", "stop": "2126-05-01T12:00:00Z"},
             "reliability": {"meanDowntime": 60, "timeToRepair": 300}}""";

    @Test
    void everyFieldArrivesAndIsWrittenAgain() {
        ServiceLevel level = LevelReader.read(WHOLE);

        assertThat(level.flow()).isEqualTo(new ServiceLevel.Flow(Transport.UDP, Prefix.parse("10.1.0.0/16"), Prefix.parse("10.2.0.7"), 4000,
                7000, 0x2a));
        assertThat(level.ingress()).isEqualTo("00000000000000a1");
        assertThat(level.egress()).isEqualTo(List.of("00000000000000b1", "00000000000000b2"));
        assertThat(level.customer()).isEqualTo("atlas");
        assertThat(level.objectives()).isEqualTo(new Objectives(new Goal.Limit(10), new Goal.Wish(Goal.Level.LOW), new Goal.Limit(0.5),
                new Goal.Limit(8)));
        assertThat(level.traffic()).isEqualTo(new Traffic(1_000_000, 30_000, 2_000_000, 1400, 64));
        assertThat(level.excess()).isEqualTo(new Excess.Shape(Duration.ofMillis(10)));
        assertThat(level.start()).isEqualTo(Instant.parse("2026-05-01T12:00:00Z"));
        assertThat(level.reliability()).isEqualTo(new ServiceLevel.Reliability(60, 300));
        assertThat(LevelReader.read(LevelWriter.write(level))).isEqualTo(level);
    }

    @Test
    void theShortFormIsTheSameLevel() {
        assertThat(LevelReader.read("delay=low, rate=medium")).isEqualTo(LevelReader.read("""
                {"objectives": {"delay": "low", "rate": "medium"}}"""));
        assertThat(LevelReader.read("transport=udp,maxDelayMs=10,traffic=1000000,bucket=30000,excess=remark:be")).isEqualTo(LevelReader.read("""
                {"flow": {"transport": "udp"}, "objectives": {"maxDelayMs": 10}, "traffic": {"rate": 1000000, "bucket": 30000},
                 "excess": "remark:BE"}"""));
    }

    @Test
    void weightsAddUpToOneWhateverTheirDecimals() {
        Objectives objectives = LevelReader.read("wDelay=0.1,wRate=0.2,wLoss=0.7").objectives();

        assertThat(objectives).isEqualTo(new Objectives(new Goal.Weight(0.1), null, new Goal.Weight(0.7), new Goal.Weight(0.2)));
        assertThat(LevelReader.read("wDelay=1,wRate=0").objectives().rate()).isNull();
    }

    @Test
    void stabilityIsAWordOrALimit() {
        ServiceLevel word = LevelReader.read("stability=high,minRateMbps=3");
        assertThat(word.objectives()).isEqualTo(new Objectives(null, null, null, new Goal.Limit(3), new Goal.Wish(Goal.Level.HIGH), null));
        ServiceLevel limit = LevelReader.read("maxRateVariationPct=12.5,size=1000,within=10s");
        assertThat(limit.objectives().stability()).isEqualTo(new Goal.Limit(12.5));
        assertThat(limit.objectives().withRate(null).isEmpty()).isFalse();
        assertThat(LevelReader.read(LevelWriter.write(word))).isEqualTo(word);
        assertThat(LevelReader.read(LevelWriter.write(limit))).isEqualTo(limit);
    }

    @Test
    void aSessionMayBeForBothDirections() {
        ServiceLevel both = LevelReader.read("delay=low,directions=both");
        assertThat(both.bothWays()).isTrue();
        assertThat(LevelReader.read(LevelWriter.write(both))).isEqualTo(both);
        assertThat(both.with(Objectives.NONE).bothWays() && both.with(both.flow()).bothWays()).isTrue();
        assertThat(LevelReader.read("directions=there").bothWays()).isFalse();
    }

    @Test
    void aFileMayBeAskedForWithinATimeOrByAMoment() {
        ServiceLevel within = LevelReader.read("size=5000000000,within=10m,traffic=10000000");
        assertThat(within.objectives()).isEqualTo(new Objectives(null, null, null, null, null, new Transfer(5_000_000_000L, Duration.ofMinutes(10), null)));
        ServiceLevel by = LevelReader.read("size=1,by=2126-05-01T12:00:00Z,delay=low");
        assertThat(by.objectives().transfer()).isEqualTo(new Transfer(1, null, Instant.parse("2126-05-01T12:00:00Z")));
        assertThat(LevelReader.read(LevelWriter.write(within))).isEqualTo(within);
        assertThat(LevelReader.read(LevelWriter.write(by))).isEqualTo(by);
        ServiceLevel odd = LevelReader.read("size=1,within=1500ms");
        assertThat(LevelReader.read(LevelWriter.write(odd))).isEqualTo(odd);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "delay=lo|objectives.delay is 'lo'",
        "delay=low,maxDelayMs=3|objectives.delay is asked for in 2 ways",
        "maxDelayMs=3,wDelay=1|objectives.delay is asked for in 2 ways",
        "maxDelayMs=-3|objectives.maxDelayMs is -3",
        "maxDelayMs=0|objectives.maxDelayMs is 0",
        "maxDelayMs=1e300|objectives.maxDelayMs",
        "maxLossPct=101|objectives.maxLossPct is 101",
        "maxLossPct=100|objectives.maxLossPct of 100 asks for nothing to arrive",
        "wDelay=0.5,wRate=0.4|objectives.wDelay, wRate and wLoss add up to 0.9",
        "wDelay=0|objectives.wDelay, wRate and wLoss add up to 0",
        "wDelay=-1,wRate=2|objectives.wDelay is -1",
        "latency=low|objectives.latency is not known",
        "minRateMbps=9,traffic=1000000|objectives.minRateMbps is 9.0 Mbit/s, and the flow sends no more",
        "directions=back|directions is 'back'; it must be both, or there",
        "transport=udp,directions=both|directions is both, and the flow is of datagrams",
        "stability=steady|objectives.stability is 'steady'",
        "stability=low,maxRateVariationPct=9|objectives.stability is asked for in 2 ways; say one of maxRateVariationPct, stability",
        "maxRateVariationPct=0|objectives.maxRateVariationPct is 0",
        "maxRateVariationPct=1001|objectives.maxRateVariationPct is 1001",
        "wStability=1|objectives.wStability is not known",
        "size=1000|objectives.size needs a time",
        "within=10s|objectives.size is missing",
        "size=0,within=10s|objectives.size is 0",
        "size=1e30,within=10s|objectives.size is",
        "size=1000,within=10|objectives.within must be a text",
        "size=1000,within=500ms|objectives.within is 500ms; it must be at least 1s",
        "size=1000,within=soon|objectives.within is 'soon'",
        "size=1000,within=10s,by=2126-05-01T12:00:00Z|objectives.size needs a time: say one of",
        "size=1000,by=tomorrow|objectives.by is 'tomorrow'",
        "size=1000,within=10s,minRateMbps=3|objectives.size stands beside a rate",
        "size=1000,within=10s,rate=high|objectives.size stands beside a rate",
        "size=1000,within=10s,wRate=0.5,wDelay=0.5|objectives.size stands beside a rate",
        "size=20000,within=10s,traffic=1999|objectives.size needs 2000 octets a second, and the flow sends no more than traffic.rate, 1999",
        "{\"objectives\": {\"size\": 9, \"by\": \"2026-05-02T00:00:00Z\"}, \"schedule\": {\"stop\": \"2026-05-01T00:00:00Z\"}}|objectives.by is 2026-05-02",
        "{\"objectives\": {\"size\": 9, \"by\": \"2026-05-02T00:00:00Z\"}, \"schedule\": {\"start\": \"2026-05-02T00:00:00Z\"}}|objectives.by is 2026-05-02",
        "{\"objectives\": {\"size\": 9, \"within\": \"2h\"}, \"schedule\": {\"start\": \"2026-05-01T00:00:00Z\", \"stop\": \"2026-05-01T01:00:00Z\"}}|objectives.within is 7200 s, longer",
        "excess=shape:20ms,maxDelayMs=10|excess lets packets wait 20 ms",
        "excess=shape:0ms|excess is 'shape:0ms'",
        "excess=keep|excess is 'keep'",
        "traffic=0|traffic.rate is 0",
        "traffic=1000,bucket=100|traffic.bucket is 100 octets; the largest packet",
        "traffic=1000,peak=999|traffic.peak is 999",
        "bucket=3000|traffic.rate is missing",
        "delay|'delay' is not NAME=VALUE",
        "delay=low,delay=high|delay is said twice",
        "{\"flow\": {\"transport\": \"sctp\"}}|flow.transport is 'sctp'",
        "{\"flow\": {\"source\": \"10.1\"}}|flow.source is no prefix",
        "{\"flow\": {\"sourcePort\": 70000}}|flow.sourcePort is 70000",
        "{\"flow\": {\"stream\": \"xyz\"}}|flow.stream is 'xyz'",
        "{\"flow\": 3}|flow must be an object",
        "{\"objectives\": {\"maxDelayMs\": \"3\"}}|objectives.maxDelayMs is \"3\"",
        "{\"objectives\": {\"maxDelayMs\": 3, \"maxDelayMs\": 4}}|the text is no JSON: Duplicate",
        "{\"objective\": {}}|objective is not known",
        "{\"schedule\": {\"start\": \"2026-05-02T00:00:00Z\", \"stop\": \"2026-05-01T00:00:00Z\"}}|schedule.stop is 2026-05-01",
        "{\"schedule\": {\"start\": \"now\"}}|schedule.start is 'now'",
        "{\"schedule\": {\"until\": \"now\"}}|schedule.until is not known",
        "{\"traffic\": {\"rate\": 1000, \"least\": 1501}}|traffic.least is 1501",
        "{\"traffic\": {\"rate\": 1.5}}|traffic.rate is 1.5",
        "{} {}|the text is no JSON",
        "{|the text is no JSON"})
    void whatMakesNoSenseNamesTheField(String text, String says) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> LevelReader.read(text)).withMessageContaining(says)
                .extracting(AnepException::code).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
    }

    @Test
    void aTextThatIsTooLongIsNotRead() {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> LevelReader.read("x".repeat(LevelReader.MOST_TEXT + 1)))
                .withMessageContaining("8193 characters");
    }
}
