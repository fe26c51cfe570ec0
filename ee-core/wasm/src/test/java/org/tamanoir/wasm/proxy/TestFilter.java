package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.wasm.WasmLimits;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.image.Image;
import org.tamanoir.wasm.image.Modules;

/** A filter as a service in the test kit; what it says is kept. */
final class TestFilter implements AutoCloseable {
    /** Code that runs for the first time is slow, and tests are not about that. */
    private static final WasmLimits LIMITS = WasmLimits.PRESET.callTime(Duration.ofMillis(100));

    private final List<String> said = new ArrayList<>();
    private final ServiceHarness harness;

    private TestFilter(byte[] module, Map<String, ?> options, WasmLimits limits, List<HostFunction> wasi) throws Exception {
        Image image = Modules.image(module);
        harness = ServiceHarness.start(new ProxyService(functions -> Modules.start(image, limits, functions), () -> wasi, (level, text) -> said.add(text), limits), options);
    }

    /** One that is kept in the resources: {@code tell} or {@code obey}. */
    static TestFilter of(String name, Map<String, ?> options) throws Exception {
        return of(module(name + ".wasm"), options, LIMITS, List.of());
    }

    static TestFilter of(byte[] module, Map<String, ?> options, WasmLimits limits, List<HostFunction> wasi) throws Exception {
        return new TestFilter(module, options, limits, wasi);
    }

    static byte[] module(String name) throws IOException {
        try (InputStream in = TestFilter.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    ServiceHarness harness() {
        return harness;
    }

    StreamHarness open() throws Exception {
        return harness.open(Position.ONLY);
    }

    /** What it has said since this was asked last. */
    List<String> said() {
        List<String> lines = List.copyOf(said);
        said.clear();
        return lines;
    }

    /** The payloads that went on, each with a bar behind it. */
    static String onward(Outcome outcome) {
        StringBuilder text = new StringBuilder();
        outcome.onward().forEach(packet -> text.append(packet.payload().toString(UTF_8)).append('|'));
        return text.toString();
    }

    @Override
    public void close() {
        harness.close();
    }
}
