/**
 * Filters of the proxy-wasm ABI (0.1.0, 0.2.0, 0.2.1; <a href="https://github.com/proxy-wasm/spec">github.com/proxy-wasm/spec</a>): the callbacks of
 * TCP streams, and the functions of the host that such filters need. What is HTTP's, gRPC's, a queue's or a call to somebody else is answered
 * with the status {@code UNIMPLEMENTED}.
 *
 * <p>{@link org.tamanoir.wasm.proxy.ProxyService} is the service; a {@link org.tamanoir.wasm.proxy.Filter} is an instance with its plugin context,
 * a {@link org.tamanoir.wasm.proxy.FilterStream} one stream in it. Uses the engine, the service API and the wire format; knows nothing of nodes.
 */
package org.tamanoir.wasm.proxy;
