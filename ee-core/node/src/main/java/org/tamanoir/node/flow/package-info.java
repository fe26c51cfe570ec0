/**
 * Flows from memory to memory that services measure with: TCP connections to next hops by the routes of the node, each a stream of the
 * service's Type ID. {@code org.tamanoir.node.stream} is the end that takes them.
 */
package org.tamanoir.node.flow;
