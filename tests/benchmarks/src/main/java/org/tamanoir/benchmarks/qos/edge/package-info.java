/**
 * Two sites with a node at the edge of each and a congested link between them: the network of the parts that let QoSinus choose (active grid paper,
 * section 4.1).
 */
package org.tamanoir.benchmarks.qos.edge;
