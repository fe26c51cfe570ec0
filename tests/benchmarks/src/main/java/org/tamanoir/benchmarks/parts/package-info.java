/** Benches that consist of parts: each is told the same plan and has an outcome of its own, and the outcomes become one report. */
package org.tamanoir.benchmarks.parts;
