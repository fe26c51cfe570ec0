package org.tamanoir.node.service;

import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.service.Store;
import org.tamanoir.service.probe.Probes;

/**
 * What a node has for all services of a publisher.
 *
 * @param facts    who it is
 * @param threads  where their own tasks run
 * @param partners how they find each other
 * @param stores   the store of a service, by its name, and where it is told
 * @param probes   the probes of a service that is told on its own tasks
 */
public record NodeMeans(Supplier<NodeFacts> facts, TaskThreads threads, Partners partners, BiFunction<String, Executor, Store> stores,
                        Function<Executor, Probes> probes) {
}
