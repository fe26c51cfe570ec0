/**
 * Bundles of a repository in an OCI registry. The catalogue stays where it is, in a directory or in PostgreSQL, and says which SHA-256 a version has: a registry is asked for nothing
 * else, and believed nothing.
 *
 * <p>{@link org.tamanoir.repository.store.registry.RegistryStore} is the way in. {@code RegistryBundles} puts and finds, {@code RegistryTidy} looks now and then what the registry has
 * lost, {@code Facts} keeps what is known of bundles at hand. May use {@code org.tamanoir.repository.store} and {@code org.tamanoir.oci}.
 */
package org.tamanoir.repository.store.registry;
