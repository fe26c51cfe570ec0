/**
 * What a repository keeps, and how it survives: a directory with bundles by their SHA-256 and a catalogue of what is published.
 *
 * <p>{@link org.tamanoir.repository.store.BundleStore} is the way in. {@link org.tamanoir.repository.store.Catalogue} holds the rules
 * and no file; the others hold files and no rule. May use {@code org.tamanoir.repository.bundle} and {@code org.tamanoir.trust}; knows nothing
 * of HTTP.
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
