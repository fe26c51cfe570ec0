/**
 * The node as one of a fleet: asks the fleet's server what it is to have, has it put in force, keeps it for the next start, and says how it is. Nothing of the
 * node waits for the server. When to ask is decided by {@link org.tamanoir.fleet.contact.AgentCore}.
 */
package org.tamanoir.node.fleet;
