/** Which streams are recorded as part of a trace over nodes, what is recorded of them, and how it leaves. Streams know this package; it knows no stream, and no library of traces. */
package org.tamanoir.node.trace;
