/**
 * The configuration of many nodes: what is wanted, who is to have which of it when, and what nodes say of it. No I/O, no clock, no thread: whoever drives it
 * brings time and events, and does what comes out. {@code state} is what operators write, {@code rollout} decides, {@code report} is what nodes say,
 * {@code contact} is when a node asks.
 */
package org.tamanoir.fleet;
