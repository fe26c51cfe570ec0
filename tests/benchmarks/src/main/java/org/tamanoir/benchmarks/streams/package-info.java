/**
 * {@code bench streams}: how many connections, requests and queries a second unmodified programs get through a gateway and two nodes, beside
 * HAProxy three times in a row and no relay at all, on loopback.
 *
 * <p>{@link org.tamanoir.benchmarks.streams.Chain} is one way from the programs to their servers, {@link org.tamanoir.benchmarks.streams.Work}
 * one kind of load, {@link org.tamanoir.benchmarks.streams.StreamsBench} runs the rounds.
 */
package org.tamanoir.benchmarks.streams;
