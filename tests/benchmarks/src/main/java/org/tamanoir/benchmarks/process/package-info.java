/**
 * Other processes as a bench sees them: their memory and CPU time from {@code /proc}, their CPUs, and the project's own command line as a
 * program to start.
 */
package org.tamanoir.benchmarks.process;
