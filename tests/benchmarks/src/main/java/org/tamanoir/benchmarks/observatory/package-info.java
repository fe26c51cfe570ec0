/** {@code tamanoir bench observatory}: the tables of the seeds again, the agenda and a year in a simulation, intake beside its limit, and the experiment of SCoPE. */
package org.tamanoir.benchmarks.observatory;
