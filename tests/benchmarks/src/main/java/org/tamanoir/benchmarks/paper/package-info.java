/**
 * {@code tamanoir bench paper}: the evaluation of "Designing and Evaluating An Active Grid Architecture" (2003), figures 8 to 13 and table 1, measured
 * again, each beside what the paper printed and what was different then.
 */
package org.tamanoir.benchmarks.paper;
