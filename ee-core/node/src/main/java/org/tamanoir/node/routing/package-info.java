/**
 * Where a stream goes next: its destination's address decides, by the longest prefix, between another node and delivery here. What no
 * route allows is refused, so that a node is never an open relay. And which streams others serve in the place of this node.
 */
package org.tamanoir.node.routing;
