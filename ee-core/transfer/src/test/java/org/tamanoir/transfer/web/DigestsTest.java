package org.tamanoir.transfer.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestsTest {
    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final String EMPTY_64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"adler32 | adler32", "ADLER32;q=1.0,md5;q=0.5 | adler32", "md5 | ", "adler32;q=0.1, sha-256;q=0.9 | sha-256", "adler32;q=0 | ", "sha-256=10, adler=1 | sha-256",
        "adler=3 | adler32", "sha-256=0 | ", "adler32;q=x | ", ",;= | "})
    void theOneIsChosenThatIsWantedMost(String wanted, String chosen) {
        assertThat(Digests.chosen(wanted)).isEqualTo(chosen);
    }

    @Test
    void eachFieldIsWrittenAndReadInItsOwnForm() {
        assertThat(Digests.digest("adler32", "00a30195")).isEqualTo("adler32=00a30195");
        assertThat(Digests.digest("sha-256", EMPTY)).isEqualTo("sha-256=" + EMPTY_64);
        assertThat(Digests.reprDigest("adler32", "00a30195")).isEqualTo("adler=:AKMBlQ==:");
        assertThat(Digests.reprDigest("sha-256", EMPTY)).isEqualTo("sha-256=:" + EMPTY_64 + ":");
        assertThat(found("digest", "md5=x, adler32=00a30195", "adler32")).isEqualTo("00a30195");
        assertThat(found("Digest", "adler32=a30195", "adler32")).as("a server that leaves zeros out").isEqualTo("00a30195");
        assertThat(found("Digest", "SHA-256=" + EMPTY_64, "sha-256")).isEqualTo(EMPTY);
        assertThat(found("Repr-Digest", "sha-256=:" + EMPTY_64 + ":, adler=:AKMBlQ==:", "adler32")).isEqualTo("00a30195");
        assertThat(found("Repr-Digest", "sha-256=:" + EMPTY_64 + ":", "sha-256")).isEqualTo(EMPTY);
        assertThat(found("Digest", "adler32=nonsense", "adler32")).isNull();
        assertThat(found("Repr-Digest", "adler=:AA==:", "adler32")).isNull();
        assertThat(found("Other", "adler32=00a30195", "adler32")).isNull();
    }

    private static String found(String field, String value, String algorithm) {
        return Digests.found(Map.of(field, List.of(value)), algorithm);
    }
}
