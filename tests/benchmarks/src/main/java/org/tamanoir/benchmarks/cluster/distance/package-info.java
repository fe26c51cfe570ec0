/** What a cluster carries when its senders are far away: figure 11 of the active grid paper. */
package org.tamanoir.benchmarks.cluster.distance;
