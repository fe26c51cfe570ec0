/**
 * Collective operations in the nodes on the way. {@link org.tamanoir.services.collect.Group} is one node's part of one group, without I/O;
 * {@link org.tamanoir.services.collect.Collect} the service around it.
 */
package org.tamanoir.services.collect;
