/** How busy a node is: how late its event loops are, and how much of the processor time that it may use is used. Cheap enough for a few times a second. */
package org.tamanoir.node.cluster.load;
