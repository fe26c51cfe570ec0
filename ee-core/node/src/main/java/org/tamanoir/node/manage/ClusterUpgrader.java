package org.tamanoir.node.manage;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.node.cluster.order.Upgrader;
import org.tamanoir.node.deploy.ServiceOperator;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;

/** Upgrades as {@code POST /services/NAME/upgrade} does, also a service that this node has not loaded: back ends of a pool are to run the same. */
public final class ClusterUpgrader implements Upgrader {
    private final ServiceOperator operator;
    private final ServiceRegistry registry;

    public ClusterUpgrader(ServiceOperator operator, ServiceRegistry registry) {
        this.operator = operator;
        this.registry = registry;
    }

    /** Where sources are silent and nothing newer was found by the others, it cannot be said that there is nothing: the whole cluster would believe it. */
    @Override
    public Found find(Order order) {
        ServiceOperator.Plan plan = operator.plan(order.service(), order.typeId(), order.version());
        boolean nothing = plan.to() == null && !plan.from().equals(order.version());
        if (nothing && !plan.unreachable().isEmpty()) {
            throw new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "nothing newer than " + plan.from() + " was found, but not everybody was asked: "
                    + String.join("; ", plan.unreachable()));
        }
        return new Found(plan.from(), plan.to());
    }

    @Override
    public String upgrade(Order order, String version) {
        return operator.upgrade(order.typeId(), version).version();
    }

    @Override
    public String active(int typeId) {
        RunningService current = registry.find(typeId);
        return current == null ? null : current.version();
    }
}
