/** What streams see when a back end is killed, when one leaves and comes back, and when the master director loses its power. */
package org.tamanoir.benchmarks.cluster.failure;
