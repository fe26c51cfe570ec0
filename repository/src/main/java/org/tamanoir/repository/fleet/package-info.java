/**
 * The server of a fleet: keeps what is wanted of its nodes, tells each what it is to have, and hears how it is. What is decided is decided by
 * {@link org.tamanoir.fleet.rollout.FleetCore}; here are the disk, the clock and HTTP.
 */
package org.tamanoir.repository.fleet;
