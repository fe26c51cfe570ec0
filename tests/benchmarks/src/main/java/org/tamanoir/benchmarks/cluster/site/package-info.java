/** A cluster as its operator has it: front-ends on directors with real IPVS, back ends, who sends streams and who takes them. */
package org.tamanoir.benchmarks.cluster.site;
