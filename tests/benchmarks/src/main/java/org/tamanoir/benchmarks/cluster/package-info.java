/** What every part of {@code bench cluster} is told, and what it has to say: see {@code parts}. */
package org.tamanoir.benchmarks.cluster;
