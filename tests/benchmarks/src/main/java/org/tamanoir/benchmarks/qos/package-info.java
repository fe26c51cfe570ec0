/**
 * Classes of service on one bottleneck, as the papers measured them. A part is a class of its name, which measures and says what follows; {@code edge}
 * is the network of the parts that let QoSinus choose.
 */
package org.tamanoir.benchmarks.qos;
