/** Background traffic of a class below best effort: "DataGRID network services" (2002), annex A, figures 6 to 8. */
package org.tamanoir.benchmarks.qos.qbss;
