package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.trust.Publisher;

class ServiceNamesTest {
    private static final Publisher ALICE = new Publisher("CN=alice", "a", Instant.MAX);
    private static final Publisher BOB = new Publisher("CN=bob", "b", Instant.MAX);

    @TempDir
    private Path directory;

    private static FoundBundle bundle(int typeId, String name, String version) {
        return new FoundBundle(typeId, name, version, "middle", "hash", -1, null);
    }

    private static FoundBundle guest(int typeId, String name) {
        return new FoundBundle(typeId, name, "1.0.0", "heavy", "hash", -1, null, "wasm");
    }

    private ServiceNames names(boolean development) {
        return new ServiceNames(directory, development);
    }

    private static void assertRefused(ErrorCode code, Runnable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call::run).matches(e -> e.code() == code, code.toString());
    }

    @Test
    void aClaimThatIsTakenBackLeavesWhatWasOwnedBefore() {
        ServiceNames names = names(true);
        names.claim(bundle(1, "counter", "1.0.0"), ALICE);
        names.claim(bundle(2, "counter", "1.0.0"), ALICE).run();
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> names.check(bundle(3, "counter", "2.0.0"), BOB));
        assertThatCode(() -> names.check(bundle(2, "other", "1.0.0"), BOB)).doesNotThrowAnyException();
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> names(true).claim(bundle(1, "other", "1.0.0"), null));
    }

    @Test
    void whatNobodySignedOwnsNothingOnceSignaturesCount() {
        names(true).claim(bundle(1, "counter", "1.0.0"), null);
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> names(true).check(bundle(1, "counter", "2.0.0"), ALICE));
        names(false).claim(bundle(1, "counter", "2.0.0"), ALICE);
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> names(false).check(bundle(1, "counter", "3.0.0"), BOB));
    }

    @Test
    void aGuestsLabelBelongsToThePublisherOfTheFirstNameWithIt() {
        Publisher cms = new Publisher("CN=cms,O=One", "a", Instant.MAX, "cms");
        Publisher other = new Publisher("CN=CMS,O=Other", "b", Instant.MAX, "cms");
        names(false).claim(guest(0x5801, "~cms/filter"), cms);
        ServiceNames again = names(false);
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> again.check(guest(0x5802, "~cms/other"), other));
        assertThatCode(() -> again.check(guest(0x5802, "~cms/other"), cms)).doesNotThrowAnyException();
        assertThatCode(() -> again.check(guest(0x5802, "~cms2/other"), other)).doesNotThrowAnyException();
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> again.check(guest(0x5801, "~cms2/filter"), other));
    }

    @Test
    void aFrameworkGetsNothingOfAGuestThatItWouldRun() throws Exception {
        Publisher cms = new Publisher("CN=cms", "a", Instant.MAX, "cms");
        ServiceNames names = names(false);
        Path good = jar("Bundle-SymbolicName: x");
        assertThat(names.describe(guest(0x5801, "~cms/filter"), cms, good, (jar, sha256) -> guest(0x5801, "~cms/filter")).runtime()).isEqualTo("wasm");
        Path extension = jar("Fragment-Host: system.bundle; extension:=framework");
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.describe(guest(0x5801, "~cms/filter"), cms, extension, (jar, sha256) -> {
            throw new AssertionError("the framework has got it");
        }));
        // Its source calls it a module, and it is none.
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.describe(guest(0x5801, "~cms/filter"), cms, good, (jar, sha256) -> bundle(0x5801, "~cms/filter", "1.0.0")));
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.describe(guest(0x5801, "~cms/filter"), ALICE, good, (jar, sha256) -> {
            throw new AssertionError("who is trusted claims what is a guest's");
        }));
    }

    private Path jar(String header) throws Exception {
        Path file = directory.resolve("bundle.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            out.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
            out.write(("Manifest-Version: 1.0\n" + header + "\n\n").getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    @Test
    void guestsAreKeptToWhatIsForGuests() {
        Publisher cms = new Publisher("CN=cms", "a", Instant.MAX, "cms");
        ServiceNames names = names(false);
        assertThatCode(() -> names.checkGuest(guest(0x5801, "~cms/filter"), cms)).doesNotThrowAnyException();
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkGuest(guest(0x5501, "~cms/filter"), cms));
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkGuest(guest(0x5801, "~alice/filter"), cms));
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkGuest(bundle(0x5801, "~cms/filter", "1.0.0"), cms));
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkGuest(guest(0x5801, "~alice/filter"), ALICE));
        // Whoever was trusted, and is a guest now.
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkRunning(bundle(0x5501, "counter", "1.0.0"), cms));
        assertRefused(ErrorCode.NOT_FOR_GUESTS, () -> names.checkRunning(guest(0x5801, "~cms/filter"), ALICE));
    }

    @Test
    void theNewestThatWasEverOfferedIsTheLeast() {
        names(true).offered(List.of(bundle(1, "counter", "1.10.0"), bundle(1, "counter", "1.9.0")));
        ServiceNames names = names(true);
        names.offered(List.of(bundle(1, "counter", "1.2.0"), bundle(1, "thief", "9.0.0")));
        assertRefused(ErrorCode.OLDER_VERSION, () -> names.checkNotBelow(bundle(1, "counter", "1.9.9"), "node"));
        assertRefused(ErrorCode.TYPE_ID_TAKEN, () -> names.checkNotBelow(bundle(1, "thief", "9.0.0"), "node"));
        assertThatCode(() -> names.checkNotBelow(bundle(1, "counter", "1.10.0"), "node")).doesNotThrowAnyException();
        assertThat(names.isBelow(2, "counter", bundle(2, "counter", "0.0.1").number())).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"owners.json|{\"names\":", "owners.json|null", "owners.json|[]", "offered.json|null",
        "offered.json|{\"0x5402\":{\"name\":\"counter\",\"version\":\"one\"}}", "offered.json|{\"0x5402\":{\"version\":\"1.0.0\"}}"})
    void whatCannotBeReadIsNotForgotten(String file, String content) throws Exception {
        Files.writeString(directory.resolve(file), content);
        assertRefused(ErrorCode.DATA_DIRECTORY, () -> names(true));
    }
}
