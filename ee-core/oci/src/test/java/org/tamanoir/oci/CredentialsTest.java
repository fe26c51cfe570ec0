package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class CredentialsTest {
    @TempDir
    private Path directory;

    private Credentials file(String json) throws IOException {
        return new Credentials(Files.writeString(directory.resolve("config.json"), json));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "registry.example:5000          | tester",
        "https://registry.example:5000  | tester",
        "https://registry.example:5000/v1/ | tester",
        "registry.example:5000/grid     | tester",
        "registry.example:5000/grid/meter | tester",
        "registry.example               | ",
        "registry.example:5001          | ",
        "registry.example:5000/gri      | ",
        "xregistry.example:5000         | "})
    void anEntryIsForItsRegistryAlone(String key, String user) throws IOException {
        // "tester:sec:ret"
        Credentials.Login login = file("{\"credsStore\":\"x\",\"auths\":{\"" + key + "\":{\"auth\":\"dGVzdGVyOnNlYzpyZXQ=\"}}}").find(Location.parse("oci://registry.example:5000/grid/meter"));
        assertThat(login == null ? null : login.user()).isEqualTo(user);
        assertThat(login == null ? null : login.password()).isEqualTo(user == null ? null : "sec:ret");
    }

    @Test
    void theLongestEntryCounts() throws IOException {
        Credentials.Login login = file("{\"auths\":{\"r.example\":{\"username\":\"a\",\"password\":\"x\"},\"r.example/grid\":{\"username\":\"b\",\"password\":\"x\"}}}")
                .find(Location.parse("oci://r.example/grid/meter"));
        assertThat(login.user()).isEqualTo("b");
        assertThat(login.toString()).doesNotContain("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "secret", "{\"auths\":{\"r.example\":{\"auth\":\"%%secret\"}}}", "{\"auths\":{\"r.example\":{\"auth\":\"c2VjcmV0\"}}}"})
    void aFileOfNoUseIsRefusedWithoutItsSecrets(String json) throws IOException {
        Credentials credentials = file(json);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> credentials.find(Location.parse("oci://r.example/grid"))).satisfies(e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(e.getMessage()).contains("config.json").doesNotContain("secret");
        });
    }

    @Test
    void aFileThatIsMissingIsSaid() {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> new Credentials(directory.resolve("none")).find(Location.parse("oci://r.example/grid")))
                .withMessageContaining("there is no such file");
    }

    @Test
    void aChallengeIsReadInItsManyForms() {
        Challenge bearer = Challenge.of(List.of("Basic realm=\"x\", Bearer realm=\"https://auth.example/token?a=b\",service=\"a \\\"quoted\\\" name\" , scope=\"repository:grid/meter:pull,push\""));
        assertThat(bearer.scheme()).isEqualTo("bearer");
        assertThat(bearer.parameters()).containsEntry("realm", "https://auth.example/token?a=b").containsEntry("service", "a \"quoted\" name")
                .containsEntry("scope", "repository:grid/meter:pull,push");
        assertThat(Challenge.of(List.of("bASIC realm=x")).scheme()).isEqualTo("basic");
        assertThat(Challenge.of(List.of("Basic")).scheme()).isEqualTo("basic");
        assertThat(Challenge.of(List.of("Bearer service=\"x\""))).isNull();
        assertThat(Challenge.of(List.of("Negotiate"))).isNull();
        assertThat(Challenge.of(List.of())).isNull();
        assertThat(Challenge.of(List.of("Bearer realm=\"" + "\\a".repeat(4000) + "\"")).parameters().get("realm")).hasSize(4000);
    }

    @Property(tries = 1000)
    void anyChallengeIsReadOrPassedOver(@ForAll @Chars({'B', 'e', 'a', 'r', ' ', '=', '"', '\\', ',', 'x'}) String header) {
        Challenge challenge = Challenge.of(List.of("Bearer " + header));
        assertThat(challenge == null || challenge.scheme().equals("basic") || challenge.parameters().containsKey("realm")).isTrue();
    }
}
