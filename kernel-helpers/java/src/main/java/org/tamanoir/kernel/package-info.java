/**
 * Light services in the Linux kernel: the binding of {@code libtamanoir_kernel}. {@link org.tamanoir.kernel.Probe} says what this kernel
 * lets this process do; {@link org.tamanoir.kernel.Kernel} runs rules for datagrams; {@link org.tamanoir.kernel.LightConnections} forwards
 * TCP connections. The C header {@code kernel-helpers/lib/tamanoir_kernel.h} is the contract behind it.
 *
 * <p>The library travels in the jar. Where it cannot be loaded, or the kernel refuses, there are messages with a remedy and never a crash.
 */
package org.tamanoir.kernel;
