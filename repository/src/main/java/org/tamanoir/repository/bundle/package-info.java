/**
 * Bundles from outside: whether a file is a bundle that holds a service, and what it says about itself.
 *
 * <p>{@link org.tamanoir.repository.bundle.BundleReader} reads a file within bounds and gives a
 * {@link org.tamanoir.repository.bundle.ServiceBundle}. May use bndlib for headers; knows nothing of stores or servers.
 */
package org.tamanoir.repository.bundle;
