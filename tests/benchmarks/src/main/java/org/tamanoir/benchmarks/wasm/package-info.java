/** What modules in WebAssembly cost, and what those that mean harm cost others, without a node around them: {@code bench wasm}. */
package org.tamanoir.benchmarks.wasm;
