/**
 * A client of registries by the OCI distribution specification 1.1, for bundles of services.
 *
 * <p>{@link org.tamanoir.oci.Registry} is the way in. A bundle is a blob, named by its SHA-256 and believed for nothing else; a manifest and a tag beside it are for other programs
 * and for a registry that collects what nothing names. {@code Call} sends one request: redirects, credentials, errors. {@code Download} and {@code Upload} go on after a cut.
 *
 * <p>May use {@code org.tamanoir.http}, Jackson, and the error codes of {@code org.tamanoir.anep}.
 */
package org.tamanoir.oci;
