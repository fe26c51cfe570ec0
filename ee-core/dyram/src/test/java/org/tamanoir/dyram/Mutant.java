package org.tamanoir.dyram;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.tamanoir.anep.Anep;
import org.tamanoir.dyram.wire.Codec;

/**
 * The protocol with one change that makes it wrong, and the test that must notice.
 *
 * @param wrong   what it does
 * @param patches what is changed; more than one where one alone changes nothing
 * @param test    class and method of this package that must fail
 */
record Mutant(String wrong, List<Patch> patches, String test) {
    /**
     * A change.
     *
     * @param file below {@code src/main/java/org/tamanoir/dyram}
     * @param old  text that occurs in it once
     * @param now  what stands there instead
     */
    record Patch(String file, String old, String now) {
    }

    private static final String PACKAGE = "org.tamanoir.dyram.";
    private static final Path SOURCES = Path.of("src/main/java/org/tamanoir/dyram");

    Mutant(String wrong, String file, String old, String now, String test) {
        this(wrong, List.of(new Patch(file, old, now)), test);
    }

    @Override
    public String toString() {
        return wrong;
    }

    /** The same with another change. */
    Mutant and(String file, String old, String now) {
        return new Mutant(wrong, Stream.concat(patches.stream(), Stream.of(new Patch(file, old, now))).toList(), test);
    }

    /**
     * Compiles the changed classes and runs the test with it.
     *
     * @return how the test has failed; null if it has not: the mutant survives
     */
    Throwable run(Path directory) {
        compile(directory);
        URL[] urls = {url(directory), location(Codec.class), location(Mutant.class)};
        try (URLClassLoader loader = new URLClassLoader(urls, new AllButOurs(getClass().getClassLoader()))) {
            String[] names = test.split("#");
            Class<?> type = loader.loadClass(PACKAGE + names[0]);
            var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            var method = type.getDeclaredMethod(names[1]);
            method.setAccessible(true);
            method.invoke(constructor.newInstance());
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(test + " cannot be run", e);
        }
    }

    private void compile(Path directory) {
        Map<String, String> texts = new TreeMap<>();
        List<Path> changed = new ArrayList<>();
        try {
            for (Patch patch : patches) {
                if (!texts.containsKey(patch.file())) {
                    texts.put(patch.file(), Files.readString(SOURCES.resolve(patch.file())));
                }
                String text = texts.get(patch.file());
                int at = text.indexOf(patch.old());
                if (at < 0 || text.indexOf(patch.old(), at + 1) >= 0) {
                    throw new AssertionError(patch.file() + " does not have once: " + patch.old());
                }
                texts.put(patch.file(), text.replace(patch.old(), patch.now()));
            }
            for (Map.Entry<String, String> text : texts.entrySet()) {
                changed.add(Files.writeString(directory.resolve(Path.of(text.getKey()).getFileName()), text.getValue()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            String path = Stream.of(Codec.class, Anep.class, ByteBuf.class, ReferenceCounted.class).map(Mutant::location).map(Mutant::file)
                    .distinct().collect(Collectors.joining(File.pathSeparator));
            StringWriter output = new StringWriter();
            if (!compiler.getTask(output, files, null, List.of("-proc:none", "-nowarn", "-d", directory.toString(), "-cp", path), null,
                    files.getJavaFileObjectsFromPaths(changed)).call()) {
                throw new AssertionError(wrong + " does not compile: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static String file(URL url) {
        try {
            return Path.of(url.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(url + " is where a class came from", e);
        }
    }

    private static URL url(Path directory) {
        try {
            return directory.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(directory + " is a directory", e);
        }
    }

    /** Everything but the protocol and its tests, which each mutant has for itself. */
    private static final class AllButOurs extends ClassLoader {
        AllButOurs(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(PACKAGE)) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }
}
