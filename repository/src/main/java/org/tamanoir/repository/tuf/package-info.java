/**
 * The TUF metadata of a repository: takes what people have signed, signs snapshot and timestamp itself, and serves all of it.
 *
 * <p>{@link org.tamanoir.repository.tuf.TufRepository} is the way in. Below the repository's data directory:
 *
 * <pre>
 * tuf/metadata/   N.root.json, N.ROLE.json and N.snapshot.json, which never change; timestamp.json, which says what is published
 * tuf/targets/    targets that are no bundles, by their SHA-256
 * tuf/keys/       the private keys of timestamp and snapshot; nobody but the owner reads them
 * tuf/intent.json a publication under way
 * </pre>
 *
 * May use {@code org.tamanoir.tuf}, {@code org.tamanoir.repository.store} and {@code org.tamanoir.repository.bundle}.
 */
package org.tamanoir.repository.tuf;
