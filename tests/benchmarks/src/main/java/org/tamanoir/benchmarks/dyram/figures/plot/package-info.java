/** Charts of lines, drawn once on a canvas that writes SVG or PNG. */
package org.tamanoir.benchmarks.dyram.figures.plot;
