/**
 * The active node. {@link org.tamanoir.node.Node} puts the rooms together; a packet meets them in this order: {@code transport},
 * {@code stream}, {@code service}, {@code deploy}, {@code routing}, {@code offload}; {@code manage} is how operators see and change them.
 */
package org.tamanoir.node;
