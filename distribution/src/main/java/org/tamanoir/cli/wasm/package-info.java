/** WebAssembly modules at their author's desk: into a bundle, and on a few octets without a node. Uses the engine of modules, the test kit and the wire format. */
package org.tamanoir.cli.wasm;
