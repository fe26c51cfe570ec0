/** What operators want of their nodes, and what follows for each: {@link org.tamanoir.fleet.state.FleetState} is read, {@link org.tamanoir.fleet.state.NodePart} comes out. */
package org.tamanoir.fleet.state;
