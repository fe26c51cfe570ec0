/**
 * The service repository: an HTTP server that keeps the bundles of services and tells nodes which there are.
 *
 * <p>{@link org.tamanoir.repository.RepositoryServer} runs one, {@link org.tamanoir.repository.RepositorySettings} says how. It is the
 * numbers authority for Type IDs. Its index is the one of OSGi Repository Service 1.1 (chapter 132 of the compendium), so that other
 * tools read it too.
 *
 * <p>May use {@code org.tamanoir.http}, {@code org.tamanoir.trust}, bndlib, and the packages below it.
 */
package org.tamanoir.repository;
