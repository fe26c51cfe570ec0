/** {@code bench copy}: copies of files beside the programs that others copy with, over a link of a known delay, rate and loss. */
package org.tamanoir.benchmarks.copy;
