/**
 * Other processes as a bench sees them: their memory and CPU time from {@code /proc}, their CPUs, the project's own command line as a
 * program to start, and what such a process is asked.
 */
package org.tamanoir.benchmarks.process;
