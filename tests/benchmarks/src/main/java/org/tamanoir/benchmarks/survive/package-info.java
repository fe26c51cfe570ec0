/** {@code bench survive}: programs that know nothing of nodes, whose nodes are killed, stopped, or lose their machine in the middle of a transfer. */
package org.tamanoir.benchmarks.survive;
