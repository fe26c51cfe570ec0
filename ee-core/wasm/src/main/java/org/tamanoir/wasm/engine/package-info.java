/**
 * A module that runs: its memory, the watch over its time, the functions that it is granted, and how each way in which it may fail becomes
 * an error with a code.
 */
package org.tamanoir.wasm.engine;
