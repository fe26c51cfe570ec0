/** {@code bench compression}: nodes beside the codec in a pipe and beside nodes that do not compress. On loopback; needs no root. */
package org.tamanoir.benchmarks.compression;
