/**
 * What services keep over a restart: a file for each service, written by one thread that takes what waits, commits it together and waits
 * for the disk once (docs/decisions/0018).
 *
 * <p>Knows the service API and nothing of the node.
 */
package org.tamanoir.node.store;
