/**
 * Measuring what TCP carries from memory to memory: a bounded flow to another node, by the routes of this one, which a service of that node
 * takes. A service says whereto and for how long, and computes from what came out; the node has the connections.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.flow;
