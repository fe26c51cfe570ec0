/**
 * Traffic that can say what became of every packet: streams over TCP and UDP at a fixed rate, whose packets carry a number, a check sum and
 * the time at which they were due; a receiver that keeps a ledger of each stream; and the balance of both.
 *
 * <p>Source and receiver are processes of their own ({@link org.tamanoir.benchmarks.soak.Soak}), with one thread each. The clock is
 * {@link System#nanoTime()}, which on Linux is CLOCK_MONOTONIC and the same for all processes of a machine: a delay is the difference of two
 * readings of one clock.
 */
package org.tamanoir.benchmarks.soak;
