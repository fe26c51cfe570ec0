/** Table 1 of the active grid paper (2003, section 4.1): best effort and EF on an empty and on a congested path, and beside them flows for which QoSinus chooses. */
package org.tamanoir.benchmarks.qos.table1;
