/** What must hold for any octets, the golden vectors that they are made from, and the fuzzer. Uses the codec as anybody may, from outside. */
package org.tamanoir.anep.fuzz;
