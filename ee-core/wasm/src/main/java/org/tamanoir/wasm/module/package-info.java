/**
 * What a module is, read without running it and without trusting a number in it. The instructions are checked later, by the compiler in a
 * process of its own: they would take many times their size here.
 */
package org.tamanoir.wasm.module;
