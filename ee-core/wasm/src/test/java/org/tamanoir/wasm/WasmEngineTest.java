package org.tamanoir.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.stream.ModuleService;

/** Modules as services: what they see, what they say, and what happens to it. */
class WasmEngineTest {
    @TempDir
    private Path directory;
    private WasmEngine engine;

    @BeforeEach
    void begin() throws Exception {
        engine = new WasmEngine(directory);
    }

    @AfterEach
    void end() {
        engine.close();
    }

    private ServiceHarness harness(byte[] module) throws Exception {
        ActiveService service = engine.service(module, WasmLimits.PRESET, octets -> true);
        return ServiceHarness.start(service, Map.of());
    }

    private static List<byte[]> payloads(String... texts) {
        return java.util.Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    }

    private static List<String> texts(Outcome outcome) {
        return outcome.onward().stream().map(packet -> new String(ByteBufUtil.getBytes(packet.payload()), StandardCharsets.UTF_8)).toList();
    }

    /** Code that writes the same verdict for each packet of the run. */
    private static Code verdictForAll(int verdict) {
        return new Code().loop().get(1).get(3).i32(16).op(0x6C).op(0x6A).i32(verdict).memory(0x36, 12).get(3).i32(1).op(0x6A).tee(3).get(2).op(0x49).brIf(0).end()
                .i32(0);
    }

    @Test
    void whatPassesGoesOnAsItCame() throws Exception {
        try (ServiceHarness harness = harness(ModuleWriter.service(new Code().i32(0)).toBytes()); StreamHarness stream = harness.open(Position.ONLY)) {
            assertThat(texts(stream.toDestinationTogether(payloads("one", "two", "three")))).containsExactly("one", "two", "three");
            assertThat(texts(stream.toSourceTogether(payloads("four")))).containsExactly("four");
        }
        assertThat(engine.memoryHeld()).isZero();
    }

    @Test
    @Tag("long")
    void whatIsDroppedOrTakenDoesNotGoOn() throws Exception {
        for (int verdict = 1; verdict <= 2; verdict++) {
            try (ServiceHarness harness = harness(ModuleWriter.service(verdictForAll(verdict)).toBytes()); StreamHarness stream = harness.open(Position.ONLY)) {
                Outcome outcome = stream.toDestinationTogether(payloads("one", "two"));
                assertThat(texts(outcome)).isEmpty();
                assertThat(outcome.verdict().reason()).isEqualTo(verdict == 1 ? "module" : "taken");
            }
        }
    }

    /** Emits the payload of each packet twice, behind it. */
    private static byte[] echo() {
        ModuleWriter module = new ModuleWriter();
        int emit = module.importFunction("tamanoir_1", "emit", "iii:i");
        Code record = new Code().get(1).get(3).i32(16).op(0x6C).op(0x6A).set(4);
        Code address = new Code().get(1).get(4).memory(0x28, 0).op(0x6A).get(4).memory(0x28, 8).op(0x6A);
        Code length = new Code().get(4).memory(0x28, 4).get(4).memory(0x28, 8).op(0x6B);
        Code each = new Code().get(3).append(address).append(length).call(emit).drop();
        return module.serviceOf(new Code().loop().append(record).append(each).append(each).get(3).i32(1).op(0x6A).tee(3).get(2).op(0x49).brIf(0).end().i32(0)).toBytes();
    }

    @Test
    void whatIsEmittedStandsBehindItsPacket() throws Exception {
        try (ServiceHarness harness = harness(echo()); StreamHarness stream = harness.open(Position.ONLY)) {
            assertThat(texts(stream.toDestinationTogether(payloads("one", "two")))).containsExactly("one", "one", "one", "two", "two", "two");
        }
    }

    @Test
    @Tag("long")
    void aLargePacketGetsALargerArea() throws Exception {
        try (ServiceHarness harness = harness(echo()); StreamHarness stream = harness.open(Position.ONLY)) {
            byte[] large = new byte[50_000];
            List<Packet> onward = stream.toDestinationTogether(List.of(large)).onward();
            assertThat(onward).hasSize(3).allSatisfy(packet -> assertThat(packet.payloadLength()).isEqualTo(large.length));
        }
    }

    @Test
    void aModuleIsCompiledOnce() throws Exception {
        byte[] module = ModuleWriter.service(new Code().i32(0)).toBytes();
        harness(module).close();
        harness(module).close();
        assertThat(engine.compiled()).isEqualTo(1);
        try (WasmEngine next = new WasmEngine(directory)) {
            ServiceHarness.start(next.service(module, WasmLimits.PRESET, octets -> true), Map.of()).close();
            assertThat(next.compiled()).isZero();
        }
    }

    @Test
    @Tag("long")
    void aDamagedImageIsMadeAnew() throws Exception {
        byte[] module = ModuleWriter.service(new Code().i32(0)).toBytes();
        harness(module).close();
        Path image;
        try (var files = Files.list(directory)) {
            image = files.findFirst().orElseThrow();
        }
        byte[] octets = Files.readAllBytes(image);
        octets[octets.length / 2] ^= 1;
        Files.write(image, octets);
        try (WasmEngine next = new WasmEngine(directory)) {
            ServiceHarness.start(next.service(module, WasmLimits.PRESET, all -> true), Map.of()).close();
            assertThat(next.compiled()).isEqualTo(1);
        }
    }

    @Test
    void aModuleThatIsNotValidIsRefusedByTheCompiler() {
        byte[] module = ModuleWriter.service(new Code().i64(0)).toBytes();
        assertThatThrownBy(() -> harness(module)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_MODULE));
        assertThat(directory).isEmptyDirectory();
    }

    /** A compiler that takes too much is ended by itself; the node goes on, and keeps nothing of it. */
    @Test
    void aModuleThatIsTooMuchForTheCompilerIsRefused() throws Exception {
        byte[] module = ModuleWriter.service(new Code().block().get(0).brTable(0, new int[1_000_000]).end().i32(0)).toBytes();
        WasmLimits little = limits(Duration.ofSeconds(60), 24);
        WasmLimits hasty = limits(Duration.ofMillis(1), 512);
        for (WasmLimits limits : List.of(little, hasty)) {
            try (WasmEngine one = new WasmEngine(directory)) {
                ModuleService service = one.service(module, limits, octets -> true);
                assertThatThrownBy(service::prepare).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_COMPILED));
                assertThat(one.compiled()).isZero();
                assertThat(directory).isEmptyDirectory();
            }
        }
    }

    private static WasmLimits limits(Duration time, int megabytes) {
        WasmLimits preset = WasmLimits.PRESET;
        return new WasmLimits(preset.moduleOctets(), preset.functions(), preset.pages(), preset.callTime(), preset.startTime(), preset.hostCalls(), preset.outputRatio(),
                preset.outputGrace(), preset.logLines(), time, megabytes);
    }
}
