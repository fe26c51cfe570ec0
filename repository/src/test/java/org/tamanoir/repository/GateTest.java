package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.service.platform.Platform;

/** What no node can run is refused with words that its author can act on; what every node can run is taken. */
class GateTest {
    private static final String NATIVE = "amd64/x.so;osname=Linux;processor=x86-64";
    private static final String API = Platform.packages().get("org.tamanoir.service");
    private static final String BOTH = NATIVE + ",arm64/x.so;osname=Linux;processor=aarch64";
    @TempDir
    private Path directory;
    private final Map<String, String> headers = Bundles.headers("meter", 0x5501, "1.0.0");
    private final Map<String, byte[]> entries = Bundles.entries();

    private ServiceBundle read() throws IOException {
        return BundleReader.read(Files.write(directory.resolve("bundle.jar"), Bundles.jar(headers, entries)));
    }

    private String refusal() {
        try {
            read();
            return "taken";
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.UNRESOLVABLE);
            return e.text();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("Import-Package", "org.tamanoir.service;version=\"[2,3)\"", "it imports org.tamanoir.service [2,3), and nodes offer " + API),
                Arguments.of("Import-Package", "org.tamanoir.servce;version=\"[1,2)\"",
                        "it imports org.tamanoir.servce [1,2), which no node offers; the nearest is org.tamanoir.service " + API),
                Arguments.of("Import-Package", "org.apache.commons.lang3", "it imports org.apache.commons.lang3, which no node offers"),
                Arguments.of("Import-Package", "javax.xml.stream;version=1",
                        "it imports javax.xml.stream 1, and nodes offer Java's own, which has no version"),
                Arguments.of("Import-Package", "java.lang.nothing", "it imports java.lang.nothing, which no node offers"),
                Arguments.of("Import-Package", "com.sun.net.httpserver", "it imports com.sun.net.httpserver, which no node offers"),
                Arguments.of("Import-Package", "org.tamanoir.anep;vendor=mine",
                        "it imports org.tamanoir.anep, and nodes offer 1.0.0 and nothing with (&(osgi.wiring.package=org.tamanoir.anep)(vendor=mine))"),
                Arguments.of("Import-Package", "org.tamanoir.repository", "it imports org.tamanoir.repository and carries it: leave the import out"),
                Arguments.of("Export-Package", "org.tamanoir.service;version=1.9", "it exports org.tamanoir.service, which is the node's own"),
                Arguments.of("Require-Capability", "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=21))\"",
                        "it requires osgi.ee (&(osgi.ee=JavaSE)(version=21)), and nodes have Java 17"),
                Arguments.of("Bundle-RequiredExecutionEnvironment", "JavaSE-21", "Bundle-RequiredExecutionEnvironment is JavaSE-21, and nodes have Java 17"),
                Arguments.of("Require-Capability", "osgi.extender;filter:=\"(osgi.extender=osgi.blueprint)\"",
                        "it requires osgi.extender (osgi.extender=osgi.blueprint), and nodes have osgi.component 1.5"),
                Arguments.of("Require-Capability", "osgi.service;filter:=\"(objectClass=org.example.Clock)\";effective:=active",
                        "neither a node nor the bundle itself offers such a service"),
                Arguments.of("Require-Capability", "gpu", "it requires gpu (gpu=gpu), and no node offers it"),
                Arguments.of("Require-Bundle", "org.apache.felix.scr", "Require-Bundle is not for services"),
                Arguments.of("Fragment-Host", "system.bundle;extension:=framework", "Fragment-Host is not for services"),
                Arguments.of("DynamicImport-Package", "*", "DynamicImport-Package is not for services"),
                Arguments.of("Bundle-ClassPath", ".,lib/x.jar", "Bundle-ClassPath names lib/x.jar"),
                Arguments.of("Bundle-SymbolicName", "org.example.meter;singleton:=true", "two versions cannot run side by side"),
                Arguments.of("Bundle-NativeCode", NATIVE, "Bundle-NativeCode has nothing for Linux on aarch64"),
                Arguments.of("Bundle-NativeCode", "x.dll;osname=Windows10;processor=x86-64", "Bundle-NativeCode has nothing for Linux on x86-64"),
                Arguments.of("Bundle-NativeCode", BOTH.replace("aarch64", "aarch64;language=en"), "Bundle-NativeCode has nothing for Linux on aarch64"),
                Arguments.of("Bundle-NativeCode", BOTH + ",gone/x.so;osname=Linux;processor=arm,*",
                        "Bundle-NativeCode names gone/x.so, which is not in the bundle"),
                Arguments.of("Service-Component", "", "it has no Service-Component"),
                Arguments.of("Service-Component", "OSGI-INF/other.xml", "Service-Component names OSGI-INF/other.xml, which is not in the bundle"),
                Arguments.of("Service-Component", "*.xml", "Service-Component names *.xml, which is not in the bundle"));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("faults")
    void aFaultOfAHeaderIsNamed(String header, String value, String said) {
        entries.put("amd64/x.so", new byte[1]);
        entries.put("arm64/x.so", new byte[1]);
        headers.put(header, value);
        assertThat(refusal()).startsWith("no node can run the bundle: ").contains(said);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "SampleService\"/>        | Nothing\"/>                          | is made of the class org.tamanoir.repository.Nothing, which is not in the bundle",
        "<implementation          | <comment                             | the component sample names no class",
        "ActiveService            | PassiveService                       | none of its components provides org.tamanoir.service.ActiveService",
        "<service>                | <service                             | is no component description",
        "scr/v1.3.0               | other/v1.3.0                         | describes no component",
        "name=\"sample\"          | name=\"sample\" enabled=\"false\"    | has enabled=\"false\", so no node ever makes it",
        "name=\"sample\"          | name=\"s\" configuration-policy=\"require\" | has configuration-policy=\"require\", so no node ever makes it",
        "</service>               | </service><reference interface=\"org.example.Clock\"/> | waits for the service org.example.Clock"})
    void aFaultOfAComponentIsNamed(String from, String to, String said) {
        String xml = Bundles.component();
        assertThat(xml).contains(from);
        entries.put(Bundles.COMPONENT, xml.replace(from, to).getBytes(StandardCharsets.UTF_8));
        assertThat(refusal()).contains(said);
    }

    @Test
    void anEntityOfAComponentDescriptionIsNotFollowed() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "secret");
        entries.put(Bundles.COMPONENT, ("<!DOCTYPE x [<!ENTITY e SYSTEM \"" + secret.toUri() + "\">]>" + Bundles.component()
                .replace("</scr:component>", "&e;</scr:component>")).getBytes(StandardCharsets.UTF_8));
        assertThat(refusal()).contains("is no component description").doesNotContain("secret\"");
    }

    @Test
    void aClassForANewerJavaIsNamedUnlessItLiesWhereOnlyANewerJavaLooks() {
        byte[] newer = Bundles.classFile();
        ByteBuffer.wrap(newer).putShort(6, (short) 65);
        entries.put("META-INF/versions/21/org/example/X.class", newer);
        assertThat(refusal()).isEqualTo("taken");
        entries.put("org/example/X.class", newer);
        entries.put("org/example/Y.class", new byte[] {1, 2, 3});
        assertThat(refusal()).contains("org/example/X.class is for Java 21, and nodes have 17: compile with --release 17")
                .contains("org/example/Y.class is no class file");
    }

    @Test
    void everythingIsSaidAtOnceAndInBounds() {
        headers.put("Require-Bundle", "a");
        headers.put("Import-Package", "org.example.a,org.example.b");
        headers.put("Service-Component", "OSGI-INF/sample.xml,OSGI-INF/gone.xml");
        entries.remove(Bundles.CLASS);
        assertThat(refusal()).contains("Require-Bundle", "org.example.a", "org.example.b", "OSGI-INF/gone.xml",
                "org.tamanoir.repository.SampleService");
        StringBuilder many = new StringBuilder("org.example.x");
        for (int i = 0; i < 1_500; i++) {
            many.append(",org.example.x").append(i);
        }
        headers.put("Import-Package", many.toString());
        assertThat(refusal()).hasSizeLessThan(8_000).containsPattern("; and 14\\d\\d faults more$");
    }

    @Test
    void whatANodeCanRunIsTaken() throws IOException {
        entries.put("amd64/x.so", new byte[1]);
        entries.put("arm64/x.so", new byte[1]);
        headers.put("Bundle-NativeCode", BOTH);
        headers.put("Export-Package", "org.example.own;version=1.4");
        headers.put("Import-Package", "java.util,javax.net.ssl,org.xml.sax,org.w3c.dom,org.slf4j;version=\"[2.0,3)\",io.netty.buffer;version=\"[4.2,5)\","
                + "org.example.own;version=\"[1.4,2)\",org.example.missing;resolution:=optional");
        headers.put("Provide-Capability", headers.get("Provide-Capability") + ";on-failure=bypass,osgi.service;objectClass:List<String>=\"org.example.Own\"");
        headers.put("Require-Capability", "osgi.service;filter:=\"(objectClass=org.example.Own)\";effective:=active,"
                + "osgi.service;filter:=\"(objectClass=org.example.Other)\";resolution:=optional,osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=11))\"");
        headers.put("Service-Component", "OSGI-INF/*.xml");
        headers.put("Bundle-ClassPath", ".");
        assertThat(read().onFailure()).isEqualTo("bypass");
        headers.put("Bundle-NativeCode", NATIVE + ",*");
        assertThat(read().name()).isEqualTo("meter");
    }

    @Test
    void theAffinityIsOneOfTwo() throws IOException {
        String capability = headers.get("Provide-Capability");
        assertThat(read().affinity()).isNull();
        headers.put("Provide-Capability", capability + ";affinity=source");
        assertThat(read().affinity()).isEqualTo("source");
        headers.put("Provide-Capability", capability + ";affinity=session");
        assertThatExceptionOfType(AnepException.class).isThrownBy(this::read)
                .withMessageStartingWith("EE-402").withMessageContaining("affinity is 'session'; it is one of none, source");
    }

    @Test
    void theFailurePolicyIsOneOfThree() {
        headers.put("Provide-Capability", headers.get("Provide-Capability") + ";on-failure=retry");
        assertThatExceptionOfType(AnepException.class).isThrownBy(this::read)
                .withMessageStartingWith("EE-402").withMessageContaining("on-failure is 'retry'; it is one of restart, bypass");
    }
}
