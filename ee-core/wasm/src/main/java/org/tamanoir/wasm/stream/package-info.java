/** Modules that keep the node's own contract, {@code tamanoir_1}, as a service. */
package org.tamanoir.wasm.stream;
