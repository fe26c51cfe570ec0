/**
 * A repository in PostgreSQL, which any number of processes serve.
 *
 * <p>{@link org.tamanoir.repository.store.postgresql.PostgresStore} is the way in. {@code Rows} and {@code Chunks} are all the statements; {@code PostgresCatalogue} changes the
 * catalogue under the lock of one row, {@code Watch} learns what others changed, {@code PostgresBundles} has the content of bundles. The rules are in
 * {@link org.tamanoir.repository.store.Catalogue}, and the constraints of the tables hold what they can of them against other programs. May use
 * {@code org.tamanoir.repository.store}, {@code org.tamanoir.repository.tuf} (a directory with metadata is refused) and {@code org.tamanoir.database}.
 */
package org.tamanoir.repository.store.postgresql;
