/**
 * Where a stream goes next: its destination's address decides, by the longest prefix, between other nodes and delivery here; health and weight decide
 * between several next nodes. What no route allows is refused, so that a node is never an open relay. And which streams others serve in the place of this
 * node.
 */
package org.tamanoir.node.routing;
