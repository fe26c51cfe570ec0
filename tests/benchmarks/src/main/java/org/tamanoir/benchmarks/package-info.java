/** {@code tamanoir bench}: a class a command. What they run is in the packages below. */
package org.tamanoir.benchmarks;
