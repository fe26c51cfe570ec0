/** WASI preview 1 as far as a module without any rights gets by with it. */
package org.tamanoir.wasm.wasi;
