/** What a bench has found: rows, targets and the machine, as a table for people and as one JSON object (DESIGN section 7). */
package org.tamanoir.benchmarks.report;
