package org.tamanoir.node.manage;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.access.AccessRules;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.cluster.ClusterSettings;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.fleet.FleetAgent;
import org.tamanoir.node.fleet.FleetSettings;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.node.manage.Configurable.Change;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.routing.ToldNeighbour;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.node.tuning.Tuning;

/**
 * How each part of the node takes a configuration. What is only read from {@link LiveConfiguration#inForce} needs no line here. Sections that
 * are the same object were not read again: the admin API has changed something else.
 */
final class ConfigurableParts {
    private ConfigurableParts() {
    }

    static Configurable routes(RouteTable routes) {
        return (before, now) -> {
            List<Route> sorted = RouteTable.sorted(now.routes());
            return () -> routes.replace(sorted);
        };
    }

    /** After the routes: what they lead elsewhere is not believed. */
    static Configurable toldRoutes(NodeStreams streams) {
        return (before, now) -> {
            List<ToldNeighbour> neighbours = now.toldNeighbours();
            return () -> streams.told().configure(neighbours);
        };
    }

    static Configurable peers(Peers peers) {
        return (before, now) -> () -> peers.replace(now.peers());
    }

    static Configurable pools(PoolTable pools) {
        return (before, now) -> () -> pools.replace(now.pools());
    }

    /** Versions that are pinned no more drain; what runs may still be starting when the first configuration is put in force. */
    static Configurable pins(Pins pins, Deployer deployer) {
        return (before, now) -> () -> {
            pins.replace(now.pins());
            deployer.operator().repin();
        };
    }

    static Configurable rules(RuleTable rules) {
        return (before, now) -> {
            RuleTable.Replacement replacement = rules.prepareOperators(now.rules());
            return Change.of(replacement::commit, replacement::discard);
        };
    }

    /** What the kernel does not do is told of the rule, and refuses no configuration: a module may be loaded later. */
    static Configurable tuning(Tuning tuning) {
        return (before, now) -> () -> tuning.configure(now.tune());
    }

    /** Streams that are open stay as they are. */
    static Configurable access(AccessControl access) {
        return (before, now) -> {
            if (Objects.equals(now.access(), before.access())) {
                return () -> { };
            }
            AccessRules rules = now.accessRules();
            return () -> access.use(rules);
        };
    }

    static Configurable limits(AtomicReference<StreamLimits> limits) {
        return (before, now) -> () -> limits.set(now.limits().forStreams());
    }

    static Configurable lightTargets(Offload offload) {
        return (before, now) -> {
            boolean same = now.light() == before.light();
            return () -> {
                if (!same) {
                    offload.lightTargets(now.light().connections());
                }
            };
        };
    }

    /** A file that is read again may mean another interface by the same name; a change of routes does not. */
    static Configurable links(NodeStreams streams) {
        return (before, now) -> {
            if (now.links() == before.links()) {
                return () -> { };
            }
            LinkSettings settings = now.linkSettings();
            return () -> streams.links().configure(settings);
        };
    }

    /** Which fleet it is in. What that says has been put below the file by then. */
    static Configurable fleet(FleetAgent agent) {
        return (before, now) -> {
            FleetSettings settings = now.fleetSettings();
            return () -> agent.configure(settings);
        };
    }

    static Configurable cluster(ClusterMember member) {
        return (before, now) -> {
            ClusterSettings settings = now.clusterSettings();
            ClusterMember.Reconfiguration ready = member.prepare(settings);
            return Change.of(ready::commit, ready::discard);
        };
    }

    /** Last of all: a service takes its options at once, and is given those before if a later one refuses. */
    static Configurable services(ServiceRegistry registry, ServiceWatch watch) {
        return (before, now) -> {
            Reconfiguration options = new Reconfiguration(registry, watch);
            options.apply(before, now);
            // The services have them already.
            return Change.of(() -> { }, options::takeBack);
        };
    }
}
