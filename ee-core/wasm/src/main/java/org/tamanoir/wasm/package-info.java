/**
 * Services of strangers: modules in WebAssembly that may do nothing but what they are granted, for as long as they may, with as much memory
 * as they may have. {@link org.tamanoir.wasm.WasmEngine} is the way in.
 */
package org.tamanoir.wasm;
