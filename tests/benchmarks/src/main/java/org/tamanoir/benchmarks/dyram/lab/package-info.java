/**
 * {@code bench dyram --lab}: one file to all receivers of a {@link org.tamanoir.lab.MulticastTestbed}, by Tamanoir and by others, with loss.
 *
 * <p>{@link org.tamanoir.benchmarks.dyram.lab.MulticastSystem} is what each of them has to do, {@link org.tamanoir.benchmarks.dyram.lab.LabRun}
 * is one transmission, {@link org.tamanoir.benchmarks.dyram.lab.LabBench} runs the plan. Octets on links are those that nftables has counted.
 */
package org.tamanoir.benchmarks.dyram.lab;
