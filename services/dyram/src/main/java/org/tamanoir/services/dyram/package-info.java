/** DyRAM as a service of a node: {@link org.tamanoir.dyram.node.NodeCore} on the links of the node. */
package org.tamanoir.services.dyram;
