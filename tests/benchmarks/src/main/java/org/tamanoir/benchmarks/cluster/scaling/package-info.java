/** What one, two and three back ends carry, each with the same part of a processor: figure 10 of the active grid paper. */
package org.tamanoir.benchmarks.cluster.scaling;
