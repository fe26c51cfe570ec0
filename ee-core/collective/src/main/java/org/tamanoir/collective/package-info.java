/**
 * Collective operations of a group: what its members and the nodes between them say to each other, as services/collect/README.md has it, and a member, without I/O.
 * The service {@code collect} carries these classes; the command line and programs in Java use them too.
 */
package org.tamanoir.collective;
