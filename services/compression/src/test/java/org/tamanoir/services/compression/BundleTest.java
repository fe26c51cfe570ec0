package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.felix.framework.Felix;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Position;
import org.tamanoir.service.platform.Platform;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** The built bundle in an embedded Felix that offers it the packages that a node offers, and nothing else. Runs after the jar is built. */
class BundleTest {
    private static final byte[] TEXT = new byte[20_000];

    private final Path bundle = Path.of(Objects.requireNonNull(System.getProperty("bundle"), "the jar to test: run mvn verify"));
    @TempDir
    private Path directory;
    private Framework framework;

    @BeforeEach
    void startFramework() throws Exception {
        // Where zstd-jni would unpack its library if the framework did not find it: unpacking fails, so the framework must.
        System.setProperty("ZstdTempFolder", directory.resolve("missing").toString());
        Map<String, Object> settings = new HashMap<>();
        settings.put(Constants.FRAMEWORK_STORAGE, directory.resolve("cache").toString());
        settings.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, Platform.asHeader());
        settings.put("felix.service.urlhandlers", "false");
        framework = new Felix(settings);
        framework.start();
        for (String type : List.of("org.osgi.util.function.Function", "org.osgi.util.promise.Promise",
                "org.osgi.service.component.ComponentConstants", "org.apache.felix.scr.info.ScrInfo")) {
            install(Path.of(Class.forName(type).getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        for (Bundle installed : framework.getBundleContext().getBundles()) {
            installed.start();
        }
    }

    @AfterEach
    void stopFramework() throws Exception {
        framework.stop();
        framework.waitForStop(10_000);
        System.clearProperty("ZstdTempFolder");
    }

    @Test
    void bothAlgorithmsWorkInsideABundleWithoutATemporaryFile() throws Exception {
        install(bundle).start();
        for (String algorithm : List.of("zstd", "gzip")) {
            roundTrip(services().get(0), services().get(0), algorithm);
        }
        assertThat(directory.resolve("missing")).doesNotExist();
    }

    @Test
    void twoVersionsWorkSideBySideAndOneMayGo() throws Exception {
        Bundle old = install(bundle);
        old.start();
        install(withVersion("0.2.0")).start();
        List<ActiveService> services = services();
        assertThat(services).hasSize(2);
        assertThat(services.get(0).getClass()).as("classes of their own").isNotSameAs(services.get(1).getClass());
        for (ActiveService from : services) {
            for (ActiveService to : services) {
                roundTrip(from, to, "zstd");
            }
        }
        old.stop();
        old.uninstall();
        assertThat(services()).hasSize(1);
        roundTrip(services().get(0), services().get(0), "zstd");
    }

    @Test
    void nothingIsImportedThatANodeDoesNotOffer() throws Exception {
        try (JarInputStream jar = new JarInputStream(Files.newInputStream(bundle))) {
            String imports = jar.getManifest().getMainAttributes().getValue("Import-Package");
            assertThat(Arrays.stream(imports.split(",(?=[a-z])")).map(clause -> clause.split(";")[0]))
                    .allMatch(name -> name.startsWith("java.") || Platform.asHeader().contains(name + ";"));
        }
    }

    /** Both licences ask for it: the bundle is a binary form of what they cover. */
    @Test
    void theLicencesOfWhatTheBundleCarriesComeWithIt() throws Exception {
        try (JarFile jar = new JarFile(bundle.toFile())) {
            for (String library : List.of("zstd-jni", "zstd")) {
                JarEntry licence = jar.getJarEntry("META-INF/licenses/" + library + ".txt");
                assertThat(licence).as(library).isNotNull();
                assertThat(jar.getInputStream(licence)).asString(StandardCharsets.UTF_8).contains("Copyright (c)", "must reproduce the above copyright notice");
            }
        }
    }

    private void roundTrip(ActiveService from, ActiveService to, String algorithm) throws Exception {
        try (ServiceHarness here = ServiceHarness.start(fresh(from), Map.of("algorithm", algorithm));
                ServiceHarness there = ServiceHarness.start(fresh(to), Map.of());
                StreamHarness ingress = here.open(Position.INGRESS);
                StreamHarness egress = there.open(Position.EGRESS)) {
            Packet wire = ingress.toDestination(TEXT).only();
            assertThat(wire.contentEncoding().name()).isEqualToIgnoringCase(algorithm);
            assertThat(ByteBufUtil.getBytes(egress.toDestination(wire).only().payload())).isEqualTo(TEXT);
        }
    }

    /** Another instance of the bundle's class: an instance is started once. */
    private static ActiveService fresh(ActiveService service) throws ReflectiveOperationException {
        return service.getClass().getConstructor().newInstance();
    }

    private List<ActiveService> services() throws Exception {
        List<ActiveService> services = new ArrayList<>();
        List<ServiceReference<ActiveService>> found = new ArrayList<>(
                framework.getBundleContext().getServiceReferences(ActiveService.class, null));
        found.sort(Comparator.comparing(reference -> reference.getBundle().getVersion()));
        for (ServiceReference<ActiveService> reference : found) {
            services.add(framework.getBundleContext().getService(reference));
        }
        return services;
    }

    private Bundle install(Path jar) throws BundleException, IOException {
        URL url = jar.toUri().toURL();
        try (InputStream content = url.openStream()) {
            return framework.getBundleContext().installBundle(url.toString(), content);
        }
    }

    /** The same bundle under another version. */
    private Path withVersion(String version) throws IOException {
        Path copy = directory.resolve("compression-" + version + ".jar");
        try (JarInputStream in = new JarInputStream(Files.newInputStream(bundle)); OutputStream file = Files.newOutputStream(copy)) {
            Manifest manifest = in.getManifest();
            manifest.getMainAttributes().putValue(Constants.BUNDLE_VERSION, version);
            try (JarOutputStream out = new JarOutputStream(file, manifest)) {
                for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                    out.putNextEntry(new JarEntry(entry.getName()));
                    in.transferTo(out);
                }
            }
        }
        return copy;
    }
}
