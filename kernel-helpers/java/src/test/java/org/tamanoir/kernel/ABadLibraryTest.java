package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever file stands in for the library: a sentence, no crash, and user space goes on. Each in a JVM of its own. */
class ABadLibraryTest {
    private static final Path GOOD = Path.of("target/classes/org/tamanoir/kernel/libtamanoir_kernel.so");

    @TempDir
    Path directory;

    @Test
    void theLibraryOfTheJarIsLoadedAndLeavesNoFile() throws Exception {
        List<String> said = probe("-Djava.io.tmpdir=" + directory, "-Duser.home=" + directory);
        assertThat(said.get(0)).isEqualTo("loaded");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileThatIsNoLibraryIsNamed() throws Exception {
        assertThat(problem(Files.writeString(directory.resolve("a.so"), "no ELF file"))).contains("a.so is no ELF file");
        assertThat(problem(Files.createFile(directory.resolve("b.so")))).contains("is no ELF file");
        assertThat(problem(directory.resolve("c.so"))).contains("there is no such file");
        assertThat(problem(directory)).contains("cannot be read");
    }

    @Test
    void aLibraryThatIsCutOffIsNotMapped() throws Exception {
        byte[] good = Files.readAllBytes(GOOD);
        for (int octets : new int[] {100, 5_000, good.length / 2, good.length - 1}) {
            assertThat(problem(Files.write(directory.resolve("cut.so"), Arrays.copyOf(good, octets)))).contains("is cut off");
        }
    }

    @Test
    void aLibraryForAnotherProcessorIsNamed() throws Exception {
        byte[] other = Files.readAllBytes(GOOD);
        other[18] = 8;
        assertThat(problem(Files.write(directory.resolve("mips.so"), other))).contains("another processor (ELF machine 8)");
    }

    @Test
    void aLibraryWithoutTheFunctionsIsNamed() throws Exception {
        assertThat(problem(compile("int nothing;"))).contains("tam_").contains("not the kernel helper of this release");
    }

    @Test
    void aLibraryThatNeedsSomethingThatIsMissingIsNamed() throws Exception {
        // Found when it is loaded, and not when the function is called, which would end the process.
        assertThat(problem(compile("int bpf_of_a_later_libbpf(void); int tam_abi(void) { return bpf_of_a_later_libbpf(); }")))
                .contains("bpf_of_a_later_libbpf");
    }

    @Test
    void aLibraryWithAnotherInterfaceIsNotCalled() throws Exception {
        // Every function but tam_abi would end the process.
        StringBuilder source = new StringBuilder("#include <stdlib.h>\nint tam_abi(void) { return 2; }\n");
        for (var method : KernelNative.class.getDeclaredMethods()) {
            if (!method.getName().equals("tam_abi")) {
                source.append("int ").append(method.getName()).append("(void) { abort(); }\n");
            }
        }
        assertThat(problem(compile(source.toString()))).contains("has the interface 2 and this program needs 1");
    }

    @Test
    void withoutJnaThereIsASentenceToo() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(":")).filter(entry -> !entry.contains("jna"))
                .collect(Collectors.joining(":"));
        List<String> said = Jvm.run(List.of(), List.of(), classPath, ProbeMain.class);
        assertThat(said.get(0)).startsWith("the kernel helper cannot be loaded").contains("com/sun/jna");
        assertThat(said).contains("udp false tcp false");
    }

    private String problem(Path library) throws Exception {
        List<String> said = probe("-D" + KernelLibrary.FILE + "=" + library);
        assertThat(said.get(0)).startsWith("the kernel helper ");
        assertThat(said).hasSize(Feature.values().length + 2).contains("udp false tcp false");
        assertThat(said.get(1)).as("what is missing of a feature").isEqualTo("BPF " + said.get(0));
        return said.get(0);
    }

    private Path compile(String source) throws Exception {
        Path library = directory.resolve("other.so");
        Process compiler = new ProcessBuilder("gcc", "-shared", "-fPIC", "-xc", "-", "-o", library.toString()).redirectErrorStream(true).start();
        compiler.getOutputStream().write(source.getBytes());
        compiler.getOutputStream().close();
        String said = new String(compiler.getInputStream().readAllBytes());
        assertThat(compiler.waitFor()).as(said).isZero();
        return library;
    }

    /** Runs the probe in a JVM of its own, which has to end well. */
    private static List<String> probe(String... options) throws Exception {
        return Jvm.run(List.of(), List.of(options), ProbeMain.class);
    }
}
