/** {@code bench cluster}: what more back ends carry, and what streams see of deaths, drains and a director without power. */
package org.tamanoir.benchmarks.cluster;
