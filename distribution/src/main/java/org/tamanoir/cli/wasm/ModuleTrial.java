package org.tamanoir.cli.wasm;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.service.testkit.StreamSetup;
import org.tamanoir.wasm.WasmEngine;
import org.tamanoir.wasm.module.WasmLimits;

/**
 * A module on one stream in the test kit: what comes is cut into packets, and what goes on is written. It runs as in a node, except that a call may
 * take longer: a program that has just started is slow at everything.
 */
public final class ModuleTrial {
    /** Processor time that a call may take. */
    public static final Duration CALL_TIME = Duration.ofMillis(250);
    private static final long MEMORY = 64L << 20;
    private static final Duration STEP = Duration.ofMillis(10);
    /** How long what a module owes at the end is waited for, by the clock of the stream. */
    private static final Duration OWED = Duration.ofSeconds(10);

    private final byte[] module;
    private final Map<String, String> options;
    private final Map<String, String> parameters;
    private final int packetSize;
    private final boolean isBack;
    private long packets;
    private long octets;
    private long onwardPackets;
    private long onwardOctets;

    /**
     * @param module     its octets
     * @param options    the operator's
     * @param parameters the stream's
     * @param packetSize octets of payload in a packet
     * @param isBack     whether what comes is on its way back to the source
     */
    public ModuleTrial(byte[] module, Map<String, String> options, Map<String, String> parameters, int packetSize, boolean isBack) {
        this.module = module;
        this.options = options;
        this.parameters = parameters;
        this.packetSize = packetSize;
        this.isBack = isBack;
    }

    /**
     * Runs it.
     *
     * @param images where compiled modules are kept for the next time
     * @return what was counted: packets and octets in and out, and the metrics of the service
     * @throws Exception what the module, or its service, throws
     */
    public Map<String, Object> run(Path images, InputStream in, OutputStream out) throws Exception {
        Files.createDirectories(images.toAbsolutePath().getParent());
        // Two engines in one directory would remove what is the other's.
        try (FileChannel lock = FileChannel.open(images.resolveSibling(images.getFileName() + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            try (WasmEngine engine = new WasmEngine(images);
                    ServiceHarness harness = ServiceHarness.start(engine.service(module, WasmLimits.PRESET.callTime(CALL_TIME), held -> held <= MEMORY), options)) {
                try (StreamHarness stream = open(harness)) {
                    pass(stream, in, out);
                }
                return counted(harness);
            }
        }
    }

    private StreamHarness open(ServiceHarness harness) throws Exception {
        StreamSetup setup = harness.stream(Position.ONLY);
        parameters.forEach(setup::parameter);
        return setup.open();
    }

    private void pass(StreamHarness stream, InputStream in, OutputStream out) throws Exception {
        long before = System.nanoTime();
        for (byte[] payload = in.readNBytes(packetSize); payload.length > 0; payload = in.readNBytes(packetSize)) {
            packets++;
            octets += payload.length;
            Outcome outcome = isBack ? stream.toSource(payload) : stream.toDestination(payload);
            write(outcome.onward(), out);
            long now = System.nanoTime();
            write(stream.advance(Duration.ofNanos(now - before)), out);
            before = now;
        }
        write((isBack ? stream.returnEnd() : stream.end()).onward(), out);
        for (Duration waited = Duration.ZERO; !(isBack ? stream.hasReturnEnded() : stream.hasEnded()) && waited.compareTo(OWED) < 0; waited = waited.plus(STEP)) {
            write(stream.advance(STEP), out);
        }
    }

    private void write(Emitted emitted, OutputStream out) throws IOException {
        write(isBack ? emitted.toSource() : emitted.toDestination(), out);
    }

    private void write(List<Packet> onward, OutputStream out) throws IOException {
        for (Packet packet : onward) {
            onwardPackets++;
            onwardOctets += packet.payloadLength();
            packet.payload().getBytes(packet.payload().readerIndex(), out, packet.payloadLength());
        }
        out.flush();
    }

    private Map<String, Object> counted(ServiceHarness harness) {
        Map<String, Object> counted = new TreeMap<>();
        counted.put("packets", packets);
        counted.put("octets", octets);
        counted.put("onwardPackets", onwardPackets);
        counted.put("onwardOctets", onwardOctets);
        Map<String, Object> metrics = new TreeMap<>();
        harness.metrics().names().stream().filter(name -> !name.startsWith("wasm_")).forEach(name -> metrics.put(name, (long) harness.metrics().value(name)));
        counted.put("metrics", metrics);
        return counted;
    }
}
