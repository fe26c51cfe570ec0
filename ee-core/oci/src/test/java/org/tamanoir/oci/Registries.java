package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What the tests of registries share. */
final class Registries {
    private Registries() {
    }

    /** For one that does not wait for long. */
    static Registry.Settings impatient() {
        return Registry.Settings.of(null, null).withTimes(Duration.ofSeconds(20), Duration.ofSeconds(1));
    }

    static byte[] octets(int size, long seed) {
        byte[] octets = new byte[size];
        new Random(seed).nextBytes(octets);
        return octets;
    }

    /** The error that a call ends with, which has this code. */
    static AnepException failure(ErrorCode code, ThrowingCallable call) {
        AnepException error = catchThrowableOfType(AnepException.class, call);
        assertThat(error).as("nothing was thrown").isNotNull();
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        return error;
    }
}
