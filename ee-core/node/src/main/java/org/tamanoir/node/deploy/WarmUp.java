package org.tamanoir.node.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.deploy.BundleStore.Sha256;
import org.tamanoir.service.ActiveService;

/**
 * Starts a bundle that does nothing and takes it away again, when a node has started and before a stream waits. The first bundle of a
 * process costs several times what later ones cost: the component runtime, the weaver and what they use are loaded and run for the first
 * time, and the hash of a bundle is computed by code that is not compiled yet.
 */
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    /** The first one takes 80 ms, the second 20, the third 13; from then on there is little to gain. */
    private static final int ROUNDS = 3;
    /** A service has some ten classes, the idle one has two. */
    private static final int CLASSES = 5;
    /** Octets of an ordinary bundle: so many are hashed. */
    private static final int SIZE = 100_000;
    private static final String NAME = "idle";
    /** Not one that a bundle can have: those are 64 digits. */
    private static final String NO_HASH = "warm-up";

    private WarmUp() {
    }

    /**
     * Blocks for as long as it takes, a fraction of a second. What goes wrong is logged and hurts nobody: the first stream waits longer.
     *
     * @param directory for a file of 100 kB while it lasts
     */
    static void run(ServiceContainer container, Path directory) {
        Path file = null;
        try {
            file = Files.createTempFile(directory, NO_HASH, ".jar");
            write(file, IdleService.class.getName(), IdleService.class.getName() + "$Idle");
            byte[] ordinary = classFile(Deployer.class.getName());
            for (int round = 0; round < ROUNDS; round++) {
                Sha256.of(file);
                ServiceContainer.Started started = container.start(file, NO_HASH);
                started.service().open(null);
                started.uninstall();
                for (int i = 0; i < CLASSES; i++) {
                    LoopWeaver.guarded(ordinary);
                }
            }
        } catch (Exception e) {
            // A node that is told to stop meanwhile takes the framework away, which gives many kinds of errors.
            LOG.warn("the first service will take a little longer: {}", e.toString());
        } finally {
            delete(file);
        }
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", file, e.getMessage());
        }
    }

    /**
     * A bundle with the headers that bnd writes for a service, because they are what has to be read and resolved.
     *
     * @param service the name of a class of this class path, and of those that it needs
     */
    static void write(Path file, String service, String... more) throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "org.tamanoir.warm-up");
        main.putValue("Bundle-Version", "1.0.0");
        main.putValue("Import-Package", "java.lang,java.util,org.tamanoir.anep;version=\"[1.0,2)\",org.tamanoir.service;version=\"[1.0,2)\"");
        main.putValue("Provide-Capability", "osgi.service;objectClass:List<String>=\"" + ActiveService.class.getName()
                + "\";uses:=\"org.tamanoir.service\",tamanoir.service;level=light;name=" + NAME + ";type-id:Long=1;version:Version=\"1.0.0\"");
        main.putValue("Require-Capability", "osgi.extender;filter:=\"(&(osgi.extender=osgi.component)(version>=1.5.0)(!(version>=2.0.0)))\","
                + "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"");
        main.putValue("Service-Component", "OSGI-INF/" + NAME + ".xml");
        try (OutputStream out = Files.newOutputStream(file); JarOutputStream jar = new JarOutputStream(out, manifest)) {
            entry(jar, "OSGI-INF/" + NAME + ".xml", ("<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.4.0\" name=\"" + NAME
                    + "\" init=\"0\"><service><provide interface=\"" + ActiveService.class.getName() + "\"/></service><implementation class=\""
                    + service + "\"/></scr:component>").getBytes(StandardCharsets.UTF_8));
            entry(jar, path(service), classFile(service));
            for (String name : more) {
                entry(jar, path(name), classFile(name));
            }
            byte[] incompressible = new byte[SIZE];
            new Random(1).nextBytes(incompressible);
            entry(jar, "padding", incompressible);
        }
    }

    private static void entry(JarOutputStream jar, String path, byte[] content) throws IOException {
        jar.putNextEntry(new ZipEntry(path));
        jar.write(content);
    }

    private static String path(String className) {
        return className.replace('.', '/') + ".class";
    }

    private static byte[] classFile(String className) throws IOException {
        try (InputStream in = WarmUp.class.getClassLoader().getResourceAsStream(path(className))) {
            return in.readAllBytes();
        }
    }
}
