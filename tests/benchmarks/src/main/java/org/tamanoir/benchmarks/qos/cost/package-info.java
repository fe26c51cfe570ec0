/** What marking and policing cost a node, and how exact its policer is, in the kernel and in the node's process. */
package org.tamanoir.benchmarks.qos.cost;
