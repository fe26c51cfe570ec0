/**
 * The core of the observatory: what is measured between which hosts and when, what the numbers mean, what a transfer costs, and why a stream is slow. Nothing
 * here has a clock, a thread or I/O: the caller brings times and samples and does what comes out. {@code file} alone reads texts.
 *
 * <p>The words are those of GlueDomains (Ciuffoletti and others, 2008): a <em>domain</em> is a set of hosts that the rest of the network reaches alike, a
 * <em>theodolite</em> is what measures in it, and a <em>session</em> is one measurement that it repeats.
 */
package org.tamanoir.paths;
