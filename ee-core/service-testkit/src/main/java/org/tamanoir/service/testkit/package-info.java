/**
 * What the author of a service tests with: {@link org.tamanoir.service.testkit.ServiceHarness} runs one service as a node would, without
 * a node, and {@link org.tamanoir.service.testkit.StreamHarness} pushes packets through one of its streams;
 * {@link org.tamanoir.service.testkit.LinkHarness} delivers the datagrams of one of its handlers of links. A service that breaks the
 * contract of {@code org.tamanoir.service} ends the test with a {@link org.tamanoir.service.testkit.ContractViolation} that names the
 * rule.
 *
 * <p>Works with any test framework: it uses the service API, {@code org.tamanoir.anep} and Netty's buffers and nothing else.
 */
package org.tamanoir.service.testkit;
