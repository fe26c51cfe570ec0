/** Paths that behave: what tuning, queues and classes do to transfers, and what others keep beside them. */
package org.tamanoir.benchmarks.paths;
