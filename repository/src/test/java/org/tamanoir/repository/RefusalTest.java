package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Every reason to refuse an upload: with its code, and without a trace. */
@ParameterizedClass
@EnumSource(Backend.class)
class RefusalTest {
    private static final int ID = 0x5502;
    @TempDir
    private static Path directory;
    private static Path data;
    private static Repo repo;
    private static JsonNode before;
    @Parameter
    private Backend backend;

    @BeforeParameterizedClassInvocation
    static void start(Backend backend) throws IOException {
        data = directory.resolve(backend.name());
        repo = new Repo(backend.settings(data).withMaxBundle(1_000_000));
        repo.push(Bundles.good("present", 0x5501, "1.0.0"));
        before = repo.services();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        repo.close();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(repo.services()).isEqualTo(before);
        assertThat(repo.index()).hasSize(1);
        assertThat(backend.bundles(data)).hasSize(1);
        assertThat(data.resolve("incoming")).isEmptyDirectory();
    }

    private static byte[] spoilt(Consumer<Map<String, String>> change) {
        Map<String, String> headers = Bundles.headers("fresh", ID, "1.0.0");
        change.accept(headers);
        return Bundles.jar(headers);
    }

    private static byte[] with(String header, String value) {
        return spoilt(headers -> headers.put(header, value));
    }

    private static byte[] zip(String... names) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (String name : names) {
                zip.putNextEntry(new ZipEntry(name));
                zip.write(name.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    private static byte[] longManifest() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
            zip.write("Manifest-Version: 1.0\n".getBytes(StandardCharsets.UTF_8));
            zip.write("Name: x\nA: b\n\n".repeat(700_000).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    private static byte[] components(int count) {
        Map<String, byte[]> entries = Bundles.entries();
        for (int i = 0; i < count; i++) {
            entries.put("OSGI-INF/" + i + ".xml", new byte[1]);
        }
        Map<String, String> headers = Bundles.headers("fresh", ID, "1.0.0");
        headers.put("Service-Component", "OSGI-INF/*.xml");
        return Bundles.jar(headers, entries);
    }

    /** Overwrites every occurrence of some octets. */
    private static byte[] replace(byte[] in, byte[] from, byte[] to) {
        byte[] out = in.clone();
        for (int i = 0; i + from.length <= out.length; i++) {
            if (Arrays.equals(out, i, i + from.length, from, 0, from.length)) {
                System.arraycopy(to, 0, out, i, to.length);
            }
        }
        return out;
    }

    static Stream<Arguments> refusals() {
        byte[] good = Bundles.good("fresh", ID, "1.0.0", new byte[5_000]);
        byte[] random = new byte[20_000];
        new Random(7).nextBytes(random);
        byte[] noisy = Bundles.jar(Bundles.headers("fresh", ID, "1.0.0"), "noise", random);
        byte[] flipped = noisy.clone();
        flipped[noisy.length / 2] ^= 1;
        byte[] bomb = Bundles.jar(Bundles.headers("fresh", ID, "1.0.0"), "bomb", new byte[60_000_000]);
        String capability = Bundles.capability("fresh", ID, "1.0.0");
        return Stream.of(
                Arguments.of("empty", ErrorCode.NOT_A_BUNDLE, new byte[0]),
                Arguments.of("random octets", ErrorCode.NOT_A_BUNDLE, random),
                Arguments.of("a half", ErrorCode.NOT_A_BUNDLE, Arrays.copyOf(good, good.length / 2)),
                Arguments.of("one bit wrong", ErrorCode.NOT_A_BUNDLE, flipped),
                Arguments.of("a bomb", ErrorCode.NOT_A_BUNDLE, bomb),
                Arguments.of("no manifest", ErrorCode.NOT_A_BUNDLE, zip("a", "b")),
                Arguments.of("a manifest that is none", ErrorCode.NOT_A_BUNDLE, zip("META-INF/MANIFEST.MF")),
                Arguments.of("a manifest of 10 MB", ErrorCode.NOT_A_BUNDLE, longManifest()),
                Arguments.of("a name of 2,000 characters", ErrorCode.NOT_A_BUNDLE,
                        Bundles.jar(Bundles.headers("fresh", ID, "1.0.0"), "x".repeat(2_000), new byte[1])),
                Arguments.of("a filter without an end", ErrorCode.NOT_A_BUNDLE, with("Require-Capability", "osgi.ee;filter:=\""
                        + "(!".repeat(10_000) + "(a=b)" + ")".repeat(10_000) + "\"")),
                Arguments.of("a thousand component descriptions", ErrorCode.NOT_A_BUNDLE, components(1_000)),
                Arguments.of("a component description without an end", ErrorCode.NOT_A_BUNDLE,
                        Bundles.jar(Bundles.headers("fresh", ID, "1.0.0"), Bundles.COMPONENT, new byte[100_000])),
                Arguments.of("something that no node offers", ErrorCode.UNRESOLVABLE, with("Import-Package", "org.example.missing")),
                Arguments.of("an entry that climbs", ErrorCode.NOT_A_BUNDLE,
                        Bundles.jar(Bundles.headers("fresh", ID, "1.0.0"), "../../etc/passwd", new byte[1])),
                Arguments.of("two entries of one name", ErrorCode.NOT_A_BUNDLE,
                        replace(zip("META-INF/MANIFEST.MF", "entry-1", "entry-2"), "entry-2".getBytes(StandardCharsets.UTF_8),
                                "entry-1".getBytes(StandardCharsets.UTF_8))),
                Arguments.of("an ordinary jar", ErrorCode.NOT_A_BUNDLE, Bundles.jar(Map.of())),
                Arguments.of("no symbolic name", ErrorCode.NOT_A_BUNDLE, spoilt(h -> h.remove("Bundle-SymbolicName"))),
                Arguments.of("a bad symbolic name", ErrorCode.NOT_A_BUNDLE, with("Bundle-SymbolicName", "../x")),
                Arguments.of("no version", ErrorCode.NOT_A_BUNDLE, spoilt(h -> h.remove("Bundle-Version"))),
                Arguments.of("a bad version", ErrorCode.NOT_A_BUNDLE, with("Bundle-Version", "one")),
                Arguments.of("an OSGi R3 bundle", ErrorCode.NOT_A_BUNDLE, spoilt(h -> h.remove("Bundle-ManifestVersion"))),
                Arguments.of("headers without end", ErrorCode.NOT_A_BUNDLE, with("Import-Package", "a,".repeat(20_000) + "b")),
                Arguments.of("a header that is no XML", ErrorCode.NOT_A_BUNDLE,
                        with("Provide-Capability", capability + ",other;a=\"\uffff\"")),
                Arguments.of("no capability", ErrorCode.NO_CAPABILITY, spoilt(h -> h.remove("Provide-Capability"))),
                Arguments.of("another capability", ErrorCode.NO_CAPABILITY, with("Provide-Capability", "osgi.service;name=\"fresh\"")),
                Arguments.of("two services", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability + "," + capability)),
                Arguments.of("no name", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace("name=\"fresh\";", ""))),
                Arguments.of("a name for paths", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace("fresh", "a/../b"))),
                Arguments.of("no type-id", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace("type-id:Long", "x"))),
                Arguments.of("a type-id without a type", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace(":Long", ""))),
                Arguments.of("a type-id that is no number", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability.replace("=" + ID, "=zero"))),
                Arguments.of("the control service's id", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability.replace("=" + ID, "=" + 0x5400))),
                Arguments.of("an id past the last", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability.replace("=" + ID, "=" + 0x6000))),
                Arguments.of("an id that overflows", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability.replace("=" + ID, "=" + (0x100000000L + ID)))),
                Arguments.of("no level", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace("level", "l"))),
                Arguments.of("an unknown level", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability.replace("middle", "huge"))),
                Arguments.of("no version of the service", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability.replace("version:Version", "v"))),
                Arguments.of("an unknown failure policy", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability + ";on-failure=retry")),
                Arguments.of("a failure policy that is the operator's", ErrorCode.NO_CAPABILITY, with("Provide-Capability", capability + ";on-failure=drop")),
                Arguments.of("a failure policy that is a list", ErrorCode.NO_CAPABILITY,
                        with("Provide-Capability", capability + ";on-failure:List<String>=drop")),
                Arguments.of("two different versions", ErrorCode.NO_CAPABILITY, with("Bundle-Version", "1.0.1")),
                Arguments.of("a stolen Type ID", ErrorCode.TYPE_ID_TAKEN, Bundles.good("fresh", 0x5501, "1.0.0")),
                Arguments.of("a stolen name", ErrorCode.TYPE_ID_TAKEN, Bundles.good("present", ID, "2.0.0")),
                Arguments.of("other content", ErrorCode.VERSION_EXISTS, Bundles.good("present", 0x5501, "1.0.0", new byte[] {1})),
                Arguments.of("too large", ErrorCode.TOO_LARGE, new byte[1_000_001]));
    }

    @ParameterizedTest(name = "{0}")
    @Tag("long")
    @MethodSource("refusals")
    void isRefused(String what, ErrorCode code, byte[] upload) {
        assertThatExceptionOfType(AnepException.class).as(what).isThrownBy(() -> repo.push(upload))
                .extracting(AnepException::code).isEqualTo(code);
    }

    /** Whether the sender goes away or only falls silent on one half of the connection. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void anUploadThatStopsHalfwayLeavesNothing(boolean goesAway) throws Exception {
        byte[] good = Bundles.good("fresh", ID, "1.0.0", new byte[100_000]);
        try (Socket socket = new Socket("127.0.0.1", repo.server.address().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT /bundles HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + (good.length + 1) + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(good);
            await().untilAsserted(() -> assertThat(data.resolve("incoming")).isNotEmptyDirectory());
            if (!goesAway) {
                socket.shutdownOutput();
            }
        }
        await().untilAsserted(() -> assertThat(data.resolve("incoming")).isEmptyDirectory());
    }

    /** A request that a web page or a proxy on this machine made is not local. */
    @Test
    void withoutATokenNobodyElsePublishesOrRetires() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        byte[] good = Bundles.good("fresh", ID, "1.0.0");
        for (HttpRequest.Builder request : new HttpRequest.Builder[] {
            HttpRequest.newBuilder(URI.create(repo.server.url() + "/bundles")).PUT(HttpRequest.BodyPublishers.ofByteArray(good)),
            HttpRequest.newBuilder(URI.create(repo.server.url() + "/services/present/1.0.0")).DELETE()}) {
            HttpResponse<String> response = client.send(request.header("X-Forwarded-For", "203.0.113.1").build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.body()).contains("EE-406");
        }
    }
}
