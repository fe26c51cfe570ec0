/** How exactly a link is shared: "DataTAG QoS report" (2003), section 3. */
package org.tamanoir.benchmarks.qos.precision;
