/**
 * How long a flow is without the class that it needs: best effort is flooded, and is free again (active grid paper, section 4.1: QoSinus adapts to what
 * it measures).
 */
package org.tamanoir.benchmarks.qos.adaptation;
