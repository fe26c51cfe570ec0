/** {@code tamanoir bench fleet}: what serves and leads a fleet of nodes. One class a part. */
package org.tamanoir.benchmarks.fleet;
