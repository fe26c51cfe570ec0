/**
 * What the wire format costs, by JMH: finding packets, options, checksum. {@link org.tamanoir.benchmarks.codec.CodecBench} runs them all.
 *
 * <p>May use {@code org.tamanoir.anep} and JMH.
 */
package org.tamanoir.benchmarks.codec;
