package org.tamanoir.node.deploy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.transport.Tls;

/**
 * What a deployer goes by.
 *
 * @param tls            of the node, for its code server and its requests; null for none
 * @param repositories   in the order in which they are asked
 * @param neighbours     code servers of other nodes that may be asked besides the one that a stream came from
 * @param requestTimeout for one request to a repository
 * @param nodeTimeout    for one request to another node's code server
 * @param startTimeout   for a bundle to start
 * @param bundleMost     octets of the largest bundle
 * @param heavyThreads   threads of each heavy service
 * @param patience       how long an operator's request may wait for a service
 * @param lifecycles          asked anew each time, so that they can change
 * @param policies       what the operator allows a service, by its name and the failure policy that it declares
 * @param guestServices  services of one guest that may run at once, asked anew each time
 */
public record DeployerSettings(Tls tls, List<RepositoryAddress> repositories, List<InetSocketAddress> neighbours, Duration requestTimeout, Duration nodeTimeout,
                               Duration startTimeout, long bundleMost, int heavyThreads, Duration patience, Supplier<LifecycleSettings> lifecycles,
                               BiFunction<String, FailurePolicy, ServicePolicy> policies, IntSupplier guestServices) {
}
