/**
 * Services made for measurements: bundles of one small class, built in memory, in as many names and versions as a bench wants.
 */
package org.tamanoir.benchmarks.bundle;
