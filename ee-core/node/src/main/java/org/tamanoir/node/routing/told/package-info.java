/**
 * What neighbours tell each other about the destinations that they reach: a distance vector with sequence numbers and the feasibility condition of Babel
 * (RFC 8966, section 2.4), without clock or I/O. No forwarding loop exists at any instant; decision 0040 says why that holds through restarts too.
 */
package org.tamanoir.node.routing.told;
