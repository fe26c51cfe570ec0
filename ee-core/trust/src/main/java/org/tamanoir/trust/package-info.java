/**
 * Whose bundles are run: publishers that are trusted, keys and bundles that are revoked, and the check of a signed jar against both.
 * {@link org.tamanoir.trust.Trust} is the way in, for nodes and repositories alike.
 *
 * <p>May use the JDK's jar signatures and the error codes of {@code org.tamanoir.anep}; knows nothing of services.
 */
package org.tamanoir.trust;
