package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.apache.felix.framework.Felix;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.tamanoir.service.guard.ExitGuard;
import org.tamanoir.service.platform.Platform;

/** A class that got through would end the JVM of the test, which is a failure too. */
class ExitWeaverTest {
    @TempDir
    private Path directory;
    private Felix framework;
    private Consumer<String> exiting;

    @BeforeEach
    @SuppressWarnings("unchecked")
    void start() throws Exception {
        Map<String, Object> settings = new HashMap<>();
        settings.put(Constants.FRAMEWORK_STORAGE, directory.toString());
        settings.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, Platform.asHeader());
        settings.putAll(LoopWeaver.SETTINGS);
        settings.put("felix.service.urlhandlers", "false");
        framework = new Felix(settings);
        framework.start();
        framework.getBundleContext().registerService(WeavingHook.class, new LoopWeaver(), null);
        Bundle bundle = framework.getBundleContext().installBundle(LoopWeaver.location("exiting"), new ByteArrayInputStream(jar()));
        exiting = (Consumer<String>) bundle.loadClass(Exiting.class.getName()).getDeclaredConstructor().newInstance();
    }

    @AfterEach
    void stop() throws Exception {
        framework.stop();
        framework.waitForStop(5000);
    }

    private static byte[] jar() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Bundle-ManifestVersion", "2");
        manifest.getMainAttributes().putValue("Bundle-SymbolicName", "exiting");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String entry = Exiting.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream jar = new JarOutputStream(out, manifest); InputStream in = Exiting.class.getClassLoader().getResourceAsStream(entry)) {
            jar.putNextEntry(new ZipEntry(entry));
            in.transferTo(jar);
        }
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"System.exit", "Runtime.exit", "Runtime.halt", "lambda", "reference to System.exit", "reference to Runtime.halt",
        "unbound reference to Runtime.exit"})
    void whatWouldEndTheNodeThrowsAnErrorThatNamesItsClass(String how) {
        String call = how.substring(how.lastIndexOf(' ') + 1).replace("lambda", "System.exit");
        assertThatThrownBy(() -> exiting.accept(how)).isInstanceOf(ExitGuard.ExitRefused.class)
                .hasMessageStartingWith(Exiting.class.getName()).hasMessageContaining(" calls " + call + "(3)");
    }

    @Test
    void otherMethodsOfThoseNamesAndClassesAreCalledAsEver() {
        assertThatThrownBy(() -> exiting.accept("its own exit")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(" " + Runtime.getRuntime().availableProcessors() + " processors");
    }
}
