/**
 * What a repository keeps, and how it survives: bundles by their SHA-256 and a catalogue of what is published.
 *
 * <p>{@link org.tamanoir.repository.store.BundleStore} is the way in. {@link org.tamanoir.repository.store.Catalogue} holds the rules
 * and no file. A {@link org.tamanoir.repository.store.CatalogueKeeper} and a {@link org.tamanoir.repository.store.BundleKeeper} keep what is to survive, and hold no rule;
 * those of one process alone are a directory, those in {@code postgresql} a database that several share. May use {@code org.tamanoir.repository.bundle} and {@code org.tamanoir.trust}; knows nothing
 * of HTTP.
 *
 * <p>The directory:
 *
 * <pre>
 * lock               held by the process that serves the directory
 * catalogue.json     replaced as a whole; what it does not name does not exist
 * bundles/SHA.jar    the bundles
 * incoming/          uploads under way; emptied at the start
 * mirror/            of a mirror: a transfer from its upstream that is not whole yet
 * damaged/           bundles whose content is not what their name says
 * </pre>
 */
package org.tamanoir.repository.store;
