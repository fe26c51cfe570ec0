package org.tamanoir.transfer.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class CopyRequestTest {
    private static CopyRequest of(Map<String, String> fields) {
        return CopyRequest.of(fields.entrySet());
    }

    @Test
    void whatFtsSendsIsUnderstood() {
        CopyRequest pull = of(Map.of("source", "davs://se.example.org:8443/store/a%20b", "TransferHeaderAuthorization", "Bearer abc", "transferheaderX-Project", "cms", "TransferHeader", "x",
                "Credential", "none", "RequireChecksumVerification", "true", "X-Number-Of-Streams", "3", "Overwrite", "F"));
        assertThat(pull.pull()).isTrue();
        assertThat(pull.other().path()).isEqualTo("https://se.example.org:8443/store/a%20b");
        assertThat(pull.fields()).containsOnly(Map.entry("Authorization", "Bearer abc"), Map.entry("X-Project", "cms"));
        assertThat(pull.token()).isEqualTo("abc");
        assertThat(pull.overwrite()).isFalse();
        assertThat(pull.checksumNeeded()).isTrue();
        assertThat(pull.streams()).isEqualTo(3);
        CopyRequest push = of(Map.of("Destination", "tam://10.0.0.1:3335/a", "X-Number-Of-Streams", "many"));
        assertThat(push.pull()).isFalse();
        assertThat(push.overwrite()).isTrue();
        assertThat(push.checksumNeeded()).isFalse();
        assertThat(push.token()).isNull();
        assertThat(push.streams()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"file:///etc/passwd, EE-408", "/etc/passwd, EE-408", "gsiftp://host/a, EE-408", "https://user:secret@host/a, EE-408", "https:///a, EE-408", "https://host/, EE-108", "https://host/a/.., EE-108",
        "https://host/a%2Fb, EE-108", "https://host/%00, EE-108", "tam://10.0.0.1:3335/, EE-408", "tam://10.0.0.1:3335/../a, EE-108", "'', EE-408"})
    void whatNamesNoFileElsewhereIsRefused(String source, String code) {
        assertThatThrownBy(() -> of(Map.of("Source", source))).isInstanceOf(AnepException.class).hasMessageContaining(code);
    }

    @Test
    void contradictionsAndDelegationAreRefused() {
        assertThatThrownBy(() -> of(Map.of())).hasMessageContaining("EE-408");
        assertThatThrownBy(() -> of(Map.of("Source", "https://h/a", "Destination", "https://h/b"))).hasMessageContaining("EE-408");
        assertThatThrownBy(() -> of(Map.of("Source", "https://h/a", "Credential", "gridsite"))).hasMessageContaining("TransferHeaderAuthorization");
    }

    @Test
    void aMarkerHasTheLinesThatFtsReadsAndAFailureIsOneLine() {
        assertThat(CopyRequests.marker(Instant.ofEpochSecond(1_537_788_010), 238_745)).isEqualTo("Perf Marker\n    Timestamp: 1537788010\n    Stripe Index: 0\n"
                + "    Stripe Bytes Transferred: 238745\n    Total Stripe Count: 1\nEnd\n");
        assertThat(CopyRequests.failure(new AnepException(ErrorCode.NO_CHECKSUM, "a\nsuccess: Created\r\nb"))).isEqualTo("failure: EE-772 a success: Created  b\n");
    }
}
