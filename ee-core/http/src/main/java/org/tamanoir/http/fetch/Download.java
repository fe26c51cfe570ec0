package org.tamanoir.http.fetch;

/**
 * A file that has been fetched.
 *
 * @param size in octets
 * @param sha256 of its content as it arrived, 64 hexadecimal digits in lower case
 */
public record Download(long size, String sha256) {
}
