/**
 * Makes metadata of TUF and signs it: for those who publish, and for a repository. Without I/O.
 *
 * <p>{@link org.tamanoir.tuf.sign.Draft} is a file that is being written; {@link org.tamanoir.tuf.sign.RoleSigner} signs it. Uses
 * {@code org.tamanoir.tuf.format}.
 */
package org.tamanoir.tuf.sign;
