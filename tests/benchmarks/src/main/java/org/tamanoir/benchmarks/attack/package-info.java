/**
 * The attacks of {@code bench memory}: what a node keeps, and what a stream of somebody else notices, while peers do what hurts it. Each
 * {@link org.tamanoir.benchmarks.attack.Attack} is a method, bounded in time and load. {@link org.tamanoir.benchmarks.attack.Victim} is the
 * node with what stands around it, {@link org.tamanoir.benchmarks.attack.AttackBench} runs attack after attack, on this build and on another.
 */
package org.tamanoir.benchmarks.attack;
