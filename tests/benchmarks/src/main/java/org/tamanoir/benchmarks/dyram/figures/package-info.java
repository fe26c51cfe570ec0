/**
 * The figures of the papers about DyRAM by simulation: the protocol's own cores ({@code org.tamanoir.dyram}) in the papers' network, with
 * the papers' losses, beside what the papers print and what a model says.
 */
package org.tamanoir.benchmarks.dyram.figures;
