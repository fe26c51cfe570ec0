/** {@code tamanoir bench cluster}: what its parts are told. Each part has a package of its own below. */
package org.tamanoir.benchmarks.cluster;
