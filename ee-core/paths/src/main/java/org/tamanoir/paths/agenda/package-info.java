/** When each session runs. Tests that fill the path are booked: no two of them share a theodolite or a bottleneck. Times are milliseconds, of any clock. */
package org.tamanoir.paths.agenda;
