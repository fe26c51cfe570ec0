/** Charts of lines, as SVG. */
package org.tamanoir.benchmarks.plot;
