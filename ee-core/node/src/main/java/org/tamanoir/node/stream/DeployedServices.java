package org.tamanoir.node.stream;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.deploy.Descriptor;
import org.tamanoir.node.service.RunningService;

/** The services that a node gets when streams ask for them. */
record DeployedServices(Deployer deployer) implements StreamEnvironment.ServiceSource {
    @Override
    public CompletableFuture<RunningService> request(int typeId, InetAddress destination, InetSocketAddress previous) {
        return deployer.request(typeId, destination, previous);
    }

    @Override
    public CompletableFuture<String> name(int typeId, InetSocketAddress previous) {
        return deployer.describe(typeId, previous).thenApply(Descriptor::name);
    }
}
