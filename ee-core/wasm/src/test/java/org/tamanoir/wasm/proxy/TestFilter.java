package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.image.Image;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.Abi;
import org.tamanoir.wasm.module.Import;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.stream.ModuleSource;
import org.tamanoir.wasm.stream.ServiceState;

/** A filter as a service in the test kit; what it says is kept. */
final class TestFilter implements AutoCloseable {
    /** Code that runs for the first time is slow, and tests are not about that. */
    static final WasmLimits LIMITS = limits();

    private final List<String> said = new ArrayList<>();
    private final ServiceHarness harness;

    private TestFilter(byte[] module, Map<String, ?> options, WasmLimits limits) throws Exception {
        ServiceState state = new ServiceState(limits, MemoryBudget.of(1L << 30));
        harness = ServiceHarness.start(new ProxyService(new Source(WasmModule.read(module).imports(), Modules.image(module), limits), state, service -> logger()), options);
    }

    /** One that is compiled in this process. */
    private record Source(List<Import> imports, Image image, WasmLimits limits) implements ModuleSource {
        @Override
        public Abi abi() {
            return Abi.PROXY_WASM_0_2_1;
        }

        @Override
        public void prepare() {
            // It is.
        }

        @Override
        public void close() {
            // There is nothing to give back.
        }

        @Override
        public WasmInstance start(List<HostFunction> functions, MemoryBudget memory) {
            WasmInstance instance = Modules.start(image, limits, functions);
            if (instance.has("_initialize")) {
                instance.call(instance.function("_initialize"), limits.startTime());
            }
            return instance;
        }
    }

    private Logger logger() {
        return (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> said.add((String) arguments[1]));
    }

    private static WasmLimits limits() {
        WasmLimits preset = WasmLimits.PRESET;
        return new WasmLimits(preset.moduleOctets(), preset.functions(), preset.pages(), Duration.ofMillis(100), Duration.ofSeconds(5), preset.hostCalls(), preset.outputRatio(),
                preset.outputGrace(), 10_000, preset.compileTime(), preset.compileMegabytes());
    }

    /** One that is kept in the resources: {@code tell} or {@code obey}. */
    static TestFilter of(String name, Map<String, ?> options) throws Exception {
        return of(module(name + ".wasm"), options, LIMITS);
    }

    static TestFilter of(byte[] module, Map<String, ?> options, WasmLimits limits) throws Exception {
        return new TestFilter(module, options, limits);
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
