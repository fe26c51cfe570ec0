/** The library that carries spans to a collector by OTLP, behind {@link org.tamanoir.node.trace.SpanSink}. Nothing else knows it. */
package org.tamanoir.node.trace.otlp;
