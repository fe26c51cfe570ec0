/**
 * Classes of service on one bottleneck, as the papers measured them. Each part is a package with a class of its name that measures, and an outcome
 * that has the targets; {@code edge} is the network of the parts that let QoSinus choose.
 */
package org.tamanoir.benchmarks.qos;
