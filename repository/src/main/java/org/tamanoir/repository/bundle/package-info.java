/**
 * Bundles from outside: whether a file is a bundle that every node can run, and what it says about itself.
 *
 * <p>{@link org.tamanoir.repository.bundle.BundleReader} reads a file within bounds and gives a
 * {@link org.tamanoir.repository.bundle.ServiceBundle}. It is the gate in front of a repository, in four looks: the zip file, the
 * headers, what the bundle needs against what nodes offer, and its components and classes or its WebAssembly module. May use bndlib for headers, requirements and
 * what Java offers; knows nothing of stores or servers.
 */
package org.tamanoir.repository.bundle;
