package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.felix.framework.Felix;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.FrameworkWiring;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.service.platform.Platform;

/** Random bundles, looked at by the gate and resolved by the framework that nodes embed: both say the same. */
class TheGateAgreesWithTheFrameworkTest {
    private static final int BUNDLES = 400;
    private static final List<String> PACKAGES = List.of("java.util", "java.lang.runtime", "java.lang.nothing", "javax.xml.stream", "javax.crypto",
            "javax.nothing", "org.xml.sax", "org.w3c.dom", "org.tamanoir.service", "org.tamanoir.anep", "org.tamanoir.service.guard",
            "org.tamanoir.nothing", "io.netty.buffer", "io.netty.util", "org.slf4j", "org.example.own", "org.example.other");
    private static final List<String> RANGES = List.of("", "", "", ";version=1", ";version=\"[1,2)\"", ";version=\"[1.0,1.0]\"", ";version=\"(1,2)\"",
            ";version=\"[4.2,5)\"", ";version=\"[4.2.13,5)\"", ";version=\"[2.0,3)\"", ";version=0", ";version=\"[0,1)\"", ";version=\"[2,2)\"");
    private static final List<String> NEEDS = List.of("osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"",
            "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=1.8))\"", "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version>=11))\"",
            "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=99))\"", "osgi.ee;filter:=\"(osgi.ee=OSGi/Minimum)\"",
            "osgi.extender;filter:=\"(&(osgi.extender=osgi.component)(version>=1.3.0)(!(version>=2.0.0)))\"",
            "osgi.extender;filter:=\"(&(osgi.extender=osgi.component)(version>=1.6.0))\"", "osgi.extender;filter:=\"(osgi.extender=osgi.blueprint)\"",
            "org.example.need", "org.example.need;resolution:=optional");

    @TempDir
    private Path directory;
    private Felix framework;

    @BeforeEach
    void start() throws BundleException {
        framework = new Felix(Map.of(Constants.FRAMEWORK_STORAGE, directory.resolve("felix").toString(),
                Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, Platform.asHeader(),
                // What felix.scr offers on a node.
                Constants.FRAMEWORK_SYSTEMCAPABILITIES_EXTRA, "osgi.extender;osgi.extender=\"osgi.component\";version:Version=\"1.5\"",
                "felix.service.urlhandlers", "false", "felix.log.level", "0"));
        framework.start();
    }

    @AfterEach
    void stop() throws Exception {
        framework.stop();
        framework.waitForStop(10_000);
    }

    @Test
    @Tag("long")
    void whatTheGateTakesResolvesAndWhatItRefusesDoesNot() throws Exception {
        Random random = new Random(411);
        int taken = 0;
        for (int i = 0; i < BUNDLES; i++) {
            Map<String, String> headers = headers(random, i);
            byte[] bundle = Bundles.jar(headers);
            String refusal = refusal(bundle);
            assertThat(refusal == null).as("%s: %s", headers, refusal).isEqualTo(resolves(bundle));
            taken += refusal == null ? 1 : 0;
        }
        // Otherwise one side of the comparison was hardly tried.
        assertThat(taken).isBetween(BUNDLES / 10, BUNDLES * 9 / 10);
    }

    private static Map<String, String> headers(Random random, int number) {
        Map<String, String> headers = Bundles.headers("random" + number, 0x5501, "1.0.0");
        Set<String> imported = new LinkedHashSet<>();
        List<String> imports = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String name = PACKAGES.get(random.nextInt(PACKAGES.size()));
            if (imported.add(name)) {
                imports.add(name + RANGES.get(random.nextInt(RANGES.size())) + (random.nextInt(4) == 0 ? ";resolution:=optional" : ""));
            }
        }
        headers.put("Import-Package", String.join(",", imports));
        if (random.nextBoolean()) {
            headers.put("Export-Package", "org.example.own;version=1.5");
        }
        headers.put("Require-Capability", NEEDS.get(random.nextInt(NEEDS.size())) + "," + NEEDS.get(random.nextInt(2)));
        return headers;
    }

    private String refusal(byte[] bundle) throws IOException {
        try {
            BundleReader.read(Files.write(directory.resolve("bundle.jar"), bundle));
            return null;
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.UNRESOLVABLE);
            return e.text();
        }
    }

    private boolean resolves(byte[] octets) throws BundleException {
        Bundle bundle = framework.getBundleContext().installBundle("memory:bundle", new ByteArrayInputStream(octets));
        try {
            return framework.adapt(FrameworkWiring.class).resolveBundles(List.of(bundle));
        } finally {
            bundle.uninstall();
            framework.adapt(FrameworkWiring.class).refreshBundles(null);
        }
    }
}
