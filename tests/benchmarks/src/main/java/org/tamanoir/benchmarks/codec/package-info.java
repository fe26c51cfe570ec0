/**
 * What the wire format costs, by JMH: finding packets, options, checksum. {@link org.tamanoir.benchmarks.codec.CodecBenchmarks} has what is
 * measured, {@link org.tamanoir.benchmarks.codec.CodecBench} runs it.
 */
package org.tamanoir.benchmarks.codec;
