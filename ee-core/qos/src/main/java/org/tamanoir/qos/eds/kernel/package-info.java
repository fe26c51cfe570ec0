/** The queue of equivalent classes in the kernel of this machine: a module or a BPF program that is loaded where it fits, and {@code tc}. */
package org.tamanoir.qos.eds.kernel;
