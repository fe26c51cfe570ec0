package org.tamanoir.trust;

import java.time.Instant;

/**
 * Who signed a bundle.
 *
 * @param name  the subject of the certificate, RFC 2253
 * @param key   SHA-256 of the public key as it stands in the certificate (SubjectPublicKeyInfo), 64 lower-case hexadecimal digits
 * @param until when the certificate expires
 */
public record Publisher(String name, String key, Instant until) {
}
