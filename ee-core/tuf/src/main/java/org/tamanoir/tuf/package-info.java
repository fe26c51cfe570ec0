/**
 * Metadata of The Update Framework (TUF, specification 1.0): what a repository offers now, said by roles whose keys are known.
 *
 * <ul>
 * <li>{@link org.tamanoir.tuf.format} reads what others have written, and trusts nothing of it;
 * <li>{@link org.tamanoir.tuf.client} decides what is believed: the detailed workflow of a client, without I/O;
 * <li>{@link org.tamanoir.tuf.sign} makes metadata and signs it;
 * <li>{@link org.tamanoir.tuf.state} keeps on disk what a client believes.
 * </ul>
 */
package org.tamanoir.tuf;
