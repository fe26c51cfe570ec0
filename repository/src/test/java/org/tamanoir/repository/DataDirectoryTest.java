package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class DataDirectoryTest {
    @TempDir
    private Path data;
    private byte[] bundle;
    private Path stored;

    @BeforeEach
    void publishOne() throws Exception {
        bundle = Bundles.good("meter", 0x5501, "1.0.0", new byte[100_000]);
        stored = data.resolve("bundles").resolve(Repo.sha256(bundle) + ".jar");
        try (Repo repo = new Repo(Repo.settings(data))) {
            repo.push(bundle);
            repo.push(Bundles.good("other", 0x5502, "1.0.0"));
        }
    }

    private static void assertCode(ErrorCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call).extracting(AnepException::code).isEqualTo(code);
    }

    @Test
    void twoRepositoriesCannotShareADirectory() {
        try (Repo first = new Repo(Repo.settings(data))) {
            assertCode(ErrorCode.DATA_DIRECTORY, () -> new Repo(Repo.settings(data)));
            assertThat(first.services()).hasSize(2);
        }
        try (Repo next = new Repo(Repo.settings(data))) {
            assertThat(next.services()).hasSize(2);
        }
    }

    @Test
    void anAddressInUseGivesTheDirectoryBack() {
        try (Repo running = new Repo(Repo.settings(data.resolve("elsewhere")))) {
            RepositorySettings same = RepositorySettings.of(running.server.address(), data);
            assertCode(ErrorCode.CANNOT_LISTEN, () -> new Repo(same));
        }
        try (Repo next = new Repo(Repo.settings(data))) {
            assertThat(next.services()).hasSize(2);
        }
    }

    @Test
    void whatACrashLeftIsGoneAndWhatTheOperatorPutThereIsNot() throws Exception {
        Files.writeString(data.resolve("incoming/upload-1.part"), "half");
        Files.writeString(data.resolve("bundles").resolve("ab".repeat(32) + ".jar"), "never acknowledged");
        Files.writeString(data.resolve("catalogue.json.part"), "half");
        Files.writeString(data.resolve("bundles/README"), "mine");
        try (Repo repo = new Repo(Repo.settings(data))) {
            assertThat(repo.services()).hasSize(2);
            assertThat(data.resolve("incoming")).isEmptyDirectory();
            assertThat(data.resolve("catalogue.json.part")).doesNotExist();
            assertThat(data.resolve("bundles").toFile().list()).hasSize(3).contains("README");
        }
    }

    /** With the time for verification, and without: then the damage is found when the bundle is asked for. */
    @ParameterizedTest
    @ValueSource(longs = {0, 10_000})
    void aBundleThatWasChangedIsSetAsideReportedNeverServedAndCuredByAPush(long verifyMillis) throws Exception {
        byte[] changed = bundle.clone();
        changed[changed.length / 2] ^= 1;
        Files.write(stored, changed);
        try (Repo repo = new Repo(Repo.settings(data).withVerifyTime(Duration.ofMillis(verifyMillis)))) {
            String path = "/bundles/" + stored.getFileName();
            assertCode(ErrorCode.STORAGE, () -> repo.http.bytes(path, 1 << 20));
            assertThat(repo.index()).hasSize(1);
            assertThat(repo.http.json("/health").path("status").asText()).isEqualTo("degraded");
            assertThat(repo.http.json("/health").path("damaged").get(0).asText() + ".jar").isEqualTo(stored.getFileName().toString());
            assertThat(data.resolve("damaged").resolve(stored.getFileName())).hasBinaryContent(changed);

            repo.push(bundle);
            assertThat(repo.http.bytes(path, 1 << 20)).isEqualTo(bundle);
            assertThat(repo.index()).hasSize(2);
            assertThat(repo.http.json("/health").path("status").asText()).isEqualTo("up");
        }
    }

    @Test
    void aBundleThatChangesWhileTheRepositoryRunsIsNotServed() throws Exception {
        try (Repo repo = new Repo(Repo.settings(data))) {
            assertThat(repo.http.bytes("/bundles/" + stored.getFileName(), 1 << 20)).isEqualTo(bundle);
            Files.write(stored, new byte[100]);
            assertCode(ErrorCode.STORAGE, () -> repo.http.bytes("/bundles/" + stored.getFileName(), 1 << 20));
            Files.deleteIfExists(stored);
            assertCode(ErrorCode.STORAGE, () -> repo.http.bytes("/bundles/" + stored.getFileName(), 1 << 20));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"format\":2,\"revision\":1,\"entries\":[]}", "{\"format\":1,\"revision\":1}", "[]", "null"})
    void aCatalogueThatCannotBeReadStopsTheStartAndCostsNoBundle(String catalogue) throws Exception {
        Files.writeString(data.resolve("catalogue.json"), catalogue);
        assertCode(ErrorCode.DATA_DIRECTORY, () -> new Repo(Repo.settings(data)));
        assertThat(stored).hasBinaryContent(bundle);
    }

    @Test
    void aMissingCatalogueIsNotTakenForAnEmptyRepository() throws Exception {
        Files.delete(data.resolve("catalogue.json"));
        assertCode(ErrorCode.DATA_DIRECTORY, () -> new Repo(Repo.settings(data)));
        assertThat(stored).hasBinaryContent(bundle);
    }
}
