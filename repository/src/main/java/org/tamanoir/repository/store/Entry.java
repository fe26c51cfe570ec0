package org.tamanoir.repository.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.tamanoir.trust.Publisher;

/**
 * One version of one service in the catalogue.
 *
 * @param name of the service
 * @param typeId 0x5401 to 0x5FFF
 * @param version as OSGi writes it
 * @param level {@code light}, {@code middle} or {@code heavy}
 * @param sha256 of the bundle, 64 hexadecimal digits in lower case
 * @param size of the bundle in octets
 * @param uploaded when it was first published, ISO 8601 in UTC
 * @param retired whether it has been taken out of the index
 * @param publisher who signed it: the subject of the certificate, RFC 2253; null if nobody did, or if it was published by a program that did
 *                  not ask
 * @param key SHA-256 of the publisher's public key; null as publisher
 */
@JsonIgnoreProperties({"revoked", "runtime"})
public record Entry(String name, int typeId, String version, String level, String sha256, long size, String uploaded, boolean retired,
        String publisher, String key) {
    public Entry {
        // Catalogues of earlier programs have no publishers; the rest must be there.
        Objects.requireNonNull(name);
        Objects.requireNonNull(version);
        Objects.requireNonNull(level);
        Objects.requireNonNull(sha256);
        Objects.requireNonNull(uploaded);
    }

    /** One that nobody has signed. */
    public Entry(String name, int typeId, String version, String level, String sha256, long size, String uploaded, boolean retired) {
        this(name, typeId, version, level, sha256, size, uploaded, retired, null, null);
    }

    Entry withRetired(boolean now) {
        return new Entry(name, typeId, version, level, sha256, size, uploaded, now, publisher, key);
    }

    Entry withUploaded(Instant now) {
        return new Entry(name, typeId, version, level, sha256, size, now.truncatedTo(ChronoUnit.SECONDS).toString(), retired, publisher, key);
    }

    /** @param by null for one that nobody has signed */
    public Entry withPublisher(Publisher by) {
        return new Entry(name, typeId, version, level, sha256, size, uploaded, retired, by == null ? null : by.name(),
                by == null ? null : by.key());
    }
}
