package org.tamanoir.node.deploy;

import java.util.Collection;
import org.osgi.framework.hooks.resolver.ResolverHook;
import org.osgi.framework.hooks.resolver.ResolverHookFactory;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;

/**
 * Keeps services apart: a service gets packages from the node and from itself, never from another service or another version, whose
 * removal would then touch it (OSGi core 8, chapter 57).
 */
final class Isolation implements ResolverHookFactory, ResolverHook {
    @Override
    public ResolverHook begin(Collection<BundleRevision> triggers) {
        return this;
    }

    @Override
    public void filterMatches(BundleRequirement requirement, Collection<BundleCapability> candidates) {
        if (requirement.getNamespace().equals(PackageNamespace.PACKAGE_NAMESPACE) && LoopWeaver.isService(requirement.getRevision().getBundle())) {
            candidates.removeIf(candidate -> LoopWeaver.isService(candidate.getRevision().getBundle())
                    && candidate.getRevision().getBundle() != requirement.getRevision().getBundle());
        }
    }

    @Override
    public void filterResolvable(Collection<BundleRevision> candidates) {
        // Whatever can be resolved may be.
    }

    @Override
    public void filterSingletonCollisions(BundleCapability singleton, Collection<BundleCapability> collisions) {
        // Services are no singletons: a repository refuses those, and versions run side by side.
    }

    @Override
    public void end() {
        // Nothing was kept.
    }
}
