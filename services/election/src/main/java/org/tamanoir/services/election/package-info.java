/**
 * Who holds a group: agreed by nodes, with a lease and a number that fences. {@link org.tamanoir.services.election.Agreement} is the protocol, without I/O;
 * {@link org.tamanoir.services.election.Election} the service around it.
 */
package org.tamanoir.services.election;
