/**
 * What the server of a fleet decides: {@link org.tamanoir.fleet.rollout.FleetCore} takes what operators want and what nodes say, and proposes what is to be kept;
 * {@link org.tamanoir.fleet.rollout.Rollout} says when the next ring begins and when to stop.
 */
package org.tamanoir.fleet.rollout;
