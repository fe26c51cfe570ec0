/** The parts of {@code bench cluster}, and their run one after the other. */
package org.tamanoir.benchmarks.cluster.parts;
