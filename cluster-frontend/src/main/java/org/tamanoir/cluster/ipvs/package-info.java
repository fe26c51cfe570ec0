/**
 * The engine of kernels with IPVS (Linux Virtual Server): keepalived puts virtual services into the kernel, checks the health of back ends, and with a
 * second director decides by VRRP (RFC 5798) which of the two carries them. What is here writes keepalived's configuration from a plan, runs and
 * watches keepalived, and reads the kernel's counters by ipvsadm. Uses {@code plan}, {@code engine} and the JDK.
 *
 * <p>Two things outlive the front-end until its next start, so that a front-end that has been killed takes no stream with it: keepalived, and what it has
 * put into the kernel. A normal end takes both away.
 */
package org.tamanoir.cluster.ipvs;
