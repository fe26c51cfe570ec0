package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;

class ConfigurationErrorTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            admni: 127.0.0.1:0               | admni: there is no such key; there are access, access-policy, admin,
            limits: {stream: 5}              | limits.stream: there is no such key; there are
            threads: many                    | threads: it must be a number
            limits: {streams: [1]}           | limits.streams: it must be a number
            limits: many                     | limits: it must be keys with values
            routes: [a]                      | routes: it must be keys with values
            repositories: http://127.0.0.1:1 | repositories: it must be a list
            listen: [a, b]                   | listen: it must be one text
            policies: {a: {failures: 100001}} | policies.a: failures: a node remembers the time of each, at most 100000, and this is 100001
            """)
    void anErrorNamesTheKeyTheLineAndWhatMayStandThereAndNothingOfJava(String yaml, String words) throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), "# a comment\n" + yaml + "\n");
        assertThatThrownBy(() -> NodeConfiguration.read(file)).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-501 " + file + ": "
                + words).message().endsWith("(line 2)").doesNotContain("java", "org.", "class");
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeMissing() {
        Path file = directory.resolve("nofile");
        assertThatThrownBy(() -> NodeConfiguration.read(file)).hasMessage("EE-501 cannot read " + file + ": there is no such file or directory");
    }
}
