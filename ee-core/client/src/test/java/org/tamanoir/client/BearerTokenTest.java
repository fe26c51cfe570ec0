package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BearerTokenTest {
    private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("192.0.2.1", 3322);

    @TempDir
    Path directory;

    @Test
    void aTokenLeavesTheMachineByTlsUnlessItsOwnerSaysOtherwise() {
        BearerToken careful = new BearerToken(() -> "secret", false);
        assertThat(careful.to(ELSEWHERE, true)).isEqualTo("secret");
        assertThat(careful.to(new InetSocketAddress("127.0.0.1", 3322), false)).isEqualTo("secret");
        assertThatThrownBy(() -> careful.to(ELSEWHERE, false)).hasMessageStartingWith("EE-222");
        assertThat(new BearerToken(() -> "secret", true).to(ELSEWHERE, false)).isEqualTo("secret");
    }

    @Test
    void aClientDoesNotConnectToShowOneInTheClear() throws Exception {
        try (TamanoirClient client = new TamanoirClient().token(new BearerToken(() -> "secret", false))) {
            assertThatThrownBy(() -> client.open(new StreamRequest().via(ELSEWHERE).to(ELSEWHERE).services("forward"))).hasMessageStartingWith("EE-222");
        }
    }

    @Test
    void aFileIsReadEachTime() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), "one\n");
        BearerToken token = BearerToken.of(file, false);
        assertThat(token.to(ELSEWHERE, true)).isEqualTo("one");
        Files.writeString(file, "two");
        assertThat(token.to(ELSEWHERE, true)).isEqualTo("two");
        Files.writeString(file, " \n");
        assertThatThrownBy(() -> token.to(ELSEWHERE, true)).hasMessageStartingWith("EE-501").hasMessageContaining(file.toString());
    }
}
