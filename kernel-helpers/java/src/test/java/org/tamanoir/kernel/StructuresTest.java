package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.kernel.KernelFlow.FlowCounters;
import org.tamanoir.kernel.KernelStatistics.UpReason;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.RuleCounters;
import org.tamanoir.service.rule.Treatment;

/** The structures, as the C compiler reads and writes them with the library's own headers. */
class StructuresTest {
    private static final Path PROGRAM = Path.of("src/test/c/structures.c");
    private static final Path HEADERS = Path.of("../lib");

    @TempDir
    static Path directory;

    @BeforeAll
    static void compile() throws Exception {
        Process compiler = new ProcessBuilder("gcc", "-Wall", "-Wextra", "-Werror", "-I" + HEADERS, "-o", program(), PROGRAM.toString())
                .redirectErrorStream(true).start();
        String said = new String(compiler.getInputStream().readAllBytes());
        assertThat(compiler.waitFor()).as(said).isZero();
    }

    @Test
    void optionsAndFlowsArriveInTheirFields() throws Exception {
        assertThat(inC("options", Structures.of(new KernelOptions(0x8877665544332211L, 65_535, 40_000, 65_536, 1_048_576, true))))
                .containsEntry("node_id", Long.toUnsignedString(0x8877665544332211L)).containsEntry("port", "65535")
                .containsEntry("code_port", "40000").containsEntry("rules", "65536").containsEntry("flows", "1048576")
                .containsEntry("test_clock", "1").hasSize(6);
        KernelFlow flow = new KernelFlow(end("10.1.2.3", 1), end("fd00::5", 2), end("10.0.0.1", 65_535), 0xFFFE, -1L, null, true);
        assertThat(inC("flow", Structures.of(flow, 7))).containsEntry("sender", "00000000000000000000ffff0a010203")
                .containsEntry("next", "fd000000000000000000000000000005").containsEntry("local", "00000000000000000000ffff0a000001")
                .containsEntry("stream_id", Long.toUnsignedString(-1L)).containsEntry("has_stream", "1").containsEntry("sender_port", "1")
                .containsEntry("next_port", "2").containsEntry("local_port", "65535").containsEntry("type_id", "65534")
                .containsEntry("target", "7").containsEntry("gated", "1");
        assertThat(inC("flow", Structures.of(new KernelFlow(flow.sender(), flow.next(), flow.local(), 1, null, null, false), 0)))
                .containsEntry("has_stream", "0").containsEntry("stream_id", "0");
    }

    @Test
    void aRuleArrivesInItsFields() throws Exception {
        Match match = new Match(0x5500, Prefix.parse("10.1.0.0/16"), Prefix.parse("fd00:1::/32"), 0xFEDCBA9876543210L, false);
        Action.Police police = new Action.Police(Meter.twoRate(125_000_000_000L, 3, 125_000_000_000L, 2_147_483_647L), true,
                Treatment.PASS, Treatment.mark(12), Treatment.DROP);
        LightRule rule = new LightRule("r", match, List.of(Action.dscp(46), police, Action.count(), Action.forward(end("10.0.0.2", 3322))));
        assertThat(inC("rule", RuleStructure.of(Integer.MAX_VALUE, rule, 0x01020304))).containsEntry("priority", "2147483647")
                .containsEntry("type_id", "21760").containsEntry("has_type", "1").containsEntry("has_session", "1")
                .containsEntry("destination_bits", "112").containsEntry("source_bits", "32").containsEntry("passing", "0")
                .containsEntry("meter", "2").containsEntry("colour_aware", "1").containsEntry("dscp", "46")
                .containsEntry("actions", "02030105").containsEntry("treat", "000201").containsEntry("treat_dscp", "000c00")
                .containsEntry("zero", "0".repeat(8)).containsEntry("target", "16909060").containsEntry("session", Long.toUnsignedString(0xFEDCBA9876543210L))
                .containsEntry("destination", "00000000000000000000ffff0a010000").containsEntry("source", "fd000001000000000000000000000000")
                .containsEntry("cir", "125000000000").containsEntry("cbs", "3").containsEntry("pir", "125000000000")
                .containsEntry("pbs", "2147483647").containsEntry("reserved", "0".repeat(48));
        LightRule single = new LightRule("s", Match.all(), List.of(Action.police(Meter.singleRate(1, 2, 3), Treatment.PASS, Treatment.PASS,
                Treatment.PASS), Action.drop()));
        assertThat(inC("rule", RuleStructure.of(0, single, 0))).containsEntry("meter", "1").containsEntry("cir", "1").containsEntry("cbs", "2")
                .containsEntry("pir", "0").containsEntry("pbs", "3").containsEntry("actions", "03040000").containsEntry("has_type", "0")
                .containsEntry("has_session", "0").containsEntry("destination_bits", "0").containsEntry("source_bits", "0")
                .containsEntry("passing", "0").containsEntry("colour_aware", "0");
    }

    @Test
    void whatTheLibraryWritesIsReadFromItsFields() throws Exception {
        assertThat(Structures.ruleCounters(fromC("rule_counters", Structures.RULE_COUNTERS))).isEqualTo(new RuleCounters(1, 2, 3, 4, 5, 6, 7));
        assertThat(Structures.flowCounters(fromC("flow_counters", Structures.FLOW_COUNTERS))).isEqualTo(new FlowCounters(1, 2, 3, 4, 5));
        KernelStatistics statistics = Structures.statistics(fromC("statistics", Structures.STATISTICS));
        assertThat(statistics.up()).hasSize(12).containsEntry(UpReason.FRAGMENT, 5L).containsEntry(UpReason.IP_OPTIONS, 6L)
                .containsEntry(UpReason.MALFORMED, 7L).containsEntry(UpReason.CHECKSUM, 8L).containsEntry(UpReason.OPTIONS, 9L)
                .containsEntry(UpReason.LONG, 10L).containsEntry(UpReason.NO_RULE, 11L).containsEntry(UpReason.RULE, 12L)
                .containsEntry(UpReason.NO_FLOW, 13L).containsEntry(UpReason.HOPS, 14L).containsEntry(UpReason.ROUTE, 15L)
                .containsEntry(UpReason.MTU, 16L);
        assertThat(statistics).isEqualTo(new KernelStatistics(1, 2, 3, 4, statistics.up(), 17, 18, 19, 20));
        assertThat(Structures.event(fromC("event", Structures.EVENT)))
                .isEqualTo(new KernelEvent(KernelEvent.Kind.LINK_NEW, 7, null, "eth0", true));
        assertThat(Structures.event(fromC("address", Structures.EVENT)))
                .isEqualTo(new KernelEvent(KernelEvent.Kind.ADDRESS_GONE, 8, InetAddress.getByName("10.0.0.1"), "", false));
        assertThat(Structures.event(fromC("lost", Structures.EVENT)).kind()).isEqualTo(KernelEvent.Kind.LOST);
        Map<Feature, Integer> probe = Structures.probe(fromC("probe", Structures.PROBE));
        assertThat(probe).containsEntry(Feature.BPF, -1).containsEntry(Feature.PERFMON, -2).containsEntry(Feature.TCX, -3)
                .containsEntry(Feature.CLSACT, -4).containsEntry(Feature.XDP, -5).containsEntry(Feature.NETFILTER, -6)
                .containsEntry(Feature.NFT, -7).containsEntry(Feature.FORWARD4, -8).containsEntry(Feature.FORWARD6, -9);
    }

    @Test
    void flowsThatAreTunedKeepTheirFields() throws Exception {
        TuningRule rule = new TuningRule(7, Prefix.parse("10.2.0.0/16"), new TuningRule.Ports(1, 65_535), Prefix.parse("fd00:1::/32"), new TuningRule.Ports(40_000, 50_000), TuningRule.WAD,
                4, 0.0125, 200, 4_000_000_000L, new TuningRule.Classes(true, 2, List.of(3, 7, 11, 15, 63)));
        assertThat(inC("tune_rule", TuningStructures.of(List.of(rule)))).containsEntry("remote", "00000000000000000000ffff0a020000")
                .containsEntry("remote_mask", "ff".repeat(14) + "0000").containsEntry("local", "fd000001000000000000000000000000").containsEntry("local_mask", "ff".repeat(4) + "00".repeat(12))
                .containsEntry("remote_first", "1").containsEntry("remote_last", "65535").containsEntry("local_first", "40000").containsEntry("local_last", "50000").containsEntry("number", "7")
                .containsEntry("ai", "4").containsEntry("md", "12500").containsEntry("max_ssthresh", "200").containsEntry("pacing", "4000000000").containsEntry("marking", "2")
                .containsEntry("congestion", "tam_wad").containsEntry("classes", "5").containsEntry("base", "2").containsEntry("code_points", "03070b0f3f00").hasSize(18);
        TuningRule any = new TuningRule(0, null, TuningRule.Ports.ALL, null, TuningRule.Ports.ALL, "", 0, 0, 0, 1, null);
        assertThat(inC("tune_rule", TuningStructures.of(List.of(any)))).containsEntry("marking", "0").containsEntry("remote_mask", "00".repeat(16)).containsEntry("local_mask", "00".repeat(16))
                .containsEntry("congestion", "");
        assertThat(TuningStructures.flow(ByteBuffer.wrap(fromC("tune_flow", TuningStructures.FLOW)), 0))
                .isEqualTo(new TunedFlow(end("fd00::2", 65_535), end("10.0.0.1", 3), 5, 6, 7, 8, 9, 10, "tam_wad", "fifteen_letters", true, 4));
    }

    private static LightRule to(String prefix) {
        return new LightRule("r", Match.all().to(Prefix.parse(prefix)), List.of(Action.drop()));
    }

    private static InetSocketAddress end(String address, int port) {
        return new InetSocketAddress(address, port);
    }

    private static String program() {
        return directory.resolve("structures").toString();
    }

    private static Map<String, String> inC(String name, byte[] structure) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program(), "read", name).start();
        process.getOutputStream().write(structure);
        process.getOutputStream().close();
        Map<String, String> fields = new HashMap<>();
        new String(process.getInputStream().readAllBytes()).lines()
                .forEach(line -> fields.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
        assertThat(process.waitFor()).as("the whole structure, and no more").isZero();
        return fields;
    }

    private static byte[] fromC(String name, int size) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program(), "write", name).start();
        byte[] structure = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).isZero();
        assertThat(structure).as("size of " + name).hasSize(size);
        return structure;
    }
}
