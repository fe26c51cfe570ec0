/**
 * {@code bench kernel}: a light service in the kernel beside the same rules in a node's process and beside a plain router.
 *
 * <p>{@link org.tamanoir.benchmarks.kernel.KernelPlan} lists what is compared, {@link org.tamanoir.benchmarks.kernel.KernelTestbed} is the network,
 * {@link org.tamanoir.benchmarks.kernel.KernelBench} runs the rounds, {@link org.tamanoir.benchmarks.kernel.KernelResults} says what follows from
 * them; the load is a program in C, {@code src/main/c}.
 */
package org.tamanoir.benchmarks.kernel;
