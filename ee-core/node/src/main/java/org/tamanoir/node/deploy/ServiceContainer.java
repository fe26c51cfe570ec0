package org.tamanoir.node.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.zip.ZipException;
import org.apache.felix.framework.Felix;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.hooks.resolver.ResolverHook;
import org.osgi.framework.hooks.resolver.ResolverHookFactory;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;
import org.osgi.framework.hooks.weaving.WovenClassListener;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.platform.Platform;
import org.tamanoir.trust.guest.GuestRule;

/**
 * The embedded OSGi framework. The API that services use comes from the node itself and can never be refreshed, so installing one
 * service cannot restart another.
 */
final class ServiceContainer implements AutoCloseable {
    private static final String NAMESPACE = "tamanoir.service";
    /** Declarative Services and what it needs, found by one class of each. */
    private static final List<String> COMPONENT_RUNTIME = List.of("org.osgi.util.function.Function", "org.osgi.util.promise.Promise",
            "org.osgi.service.component.ComponentConstants", "org.apache.felix.scr.info.ScrInfo");
    private static final int STOP_MILLIS = 5000;
    private static final int REGISTRATION_MILLIS = 2000;

    private final Felix framework;
    private final AtomicLong installed = new AtomicLong();
    private final Map<Bundle, Set<Class<?>>> classes = new ConcurrentHashMap<>();

    /** @param cache a directory for the framework alone; emptied at every start */
    ServiceContainer(Path cache) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(Constants.FRAMEWORK_STORAGE, cache.toString());
        settings.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        settings.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, Platform.asHeader());
        settings.put(Constants.FRAMEWORK_BSNVERSION, Constants.FRAMEWORK_BSNVERSION_MULTIPLE);
        settings.putAll(LoopWeaver.SETTINGS);
        settings.put("felix.service.urlhandlers", "false");
        settings.put("felix.log.level", "1");
        settings.put("ds.loglevel", "1");
        framework = new Felix(settings);
        try {
            framework.start();
            framework.getBundleContext().registerService(WeavingHook.class, new LoopWeaver(), null);
            framework.getBundleContext().registerService(ResolverHookFactory.class, new Isolation(), null);
            framework.getBundleContext().registerService(WovenClassListener.class, this::defined, null);
            for (String type : COMPONENT_RUNTIME) {
                install(type).start();
            }
        } catch (BundleException | IOException | ClassNotFoundException e) {
            throw new AnepException(ErrorCode.INTERNAL, "the OSGi framework does not start: " + e.getMessage(), e);
        }
    }

    /** A class of a bundle has been loaded: its static fields may hold something. */
    private void defined(WovenClass woven) {
        Bundle bundle = woven.getBundleWiring().getBundle();
        if (woven.getState() == WovenClass.DEFINED && LoopWeaver.isService(bundle)) {
            classes.computeIfAbsent(bundle, unused -> ConcurrentHashMap.newKeySet()).add(woven.getDefinedClass());
        }
    }

    private Bundle install(String type) throws IOException, BundleException, ClassNotFoundException {
        URL jar = Class.forName(type, false, getClass().getClassLoader()).getProtectionDomain().getCodeSource().getLocation();
        try (InputStream in = jar.openStream()) {
            return framework.getBundleContext().installBundle(jar.toString(), in);
        }
    }

    /** Whether a capability says that the service is a module in WebAssembly: of its bundle no class is loaded. */
    static boolean isModule(Map<String, Object> capability) {
        return GuestRule.WASM.equals(capability.get("runtime"));
    }

    /** {@link #start(Path, String, Supplier)} for a bundle in Java. */
    Started start(Path jar, String sha256) {
        return start(jar, sha256, () -> {
            throw new AnepException(ErrorCode.BAD_BUNDLE, "it is a module in WebAssembly");
        });
    }

    /**
     * Installs and starts a bundle and takes the service that it registers; or makes the service of a module.
     *
     * @param module the service of the module that the bundle carries, if its capability says that it is one
     * @throws AnepException EE-304 if it is no bundle or lacks the capability, EE-305 if it does not start
     */
    Started start(Path jar, String sha256, Supplier<ActiveService> module) {
        BundleContext context = framework.getBundleContext();
        Bundle bundle = null;
        try (InputStream in = Files.newInputStream(jar)) {
            bundle = context.installBundle(location(sha256), in);
            Map<String, Object> capability = capability(bundle);
            if (isModule(capability)) {
                return new Started(bundle, null, module.get(), capability);
            }
            bundle.start();
            ServiceReference<?> reference = registered(bundle);
            ActiveService service = (ActiveService) context.getService(reference);
            if (service == null) {
                throw failed(bundle, "its component cannot be made; is there a constructor without parameters that does not throw?", null);
            }
            return new Started(bundle, reference, service, capability);
        } catch (IOException | BundleException | InterruptedException e) {
            uninstall(bundle);
            throw isOfTheDisk(e) ? storage(e) : failed(bundle, e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            uninstall(bundle);
            throw e instanceof AnepException known ? known : failed(bundle, e.toString(), e);
        }
    }

    /** A bundle may be here twice: one that is restarted beside the one whose streams still drain. */
    private String location(String sha256) {
        return LoopWeaver.location(sha256 + "#" + installed.incrementAndGet());
    }

    /**
     * What a bundle says of itself; none of its code runs.
     *
     * @throws AnepException EE-304 if it is no bundle or lacks the capability
     */
    FoundBundle describe(Path jar, String sha256) {
        Bundle bundle = null;
        try (InputStream in = Files.newInputStream(jar)) {
            bundle = framework.getBundleContext().installBundle(location(sha256), in);
            Map<String, Object> says = capability(bundle);
            int typeId = Math.toIntExact((Long) says.get("type-id"));
            return new FoundBundle(typeId, (String) says.get("name"), says.get("version").toString(), (String) says.get("level"), sha256,
                    Files.size(jar), null, (String) says.get("runtime"));
        } catch (IOException | BundleException e) {
            throw isOfTheDisk(e) ? storage(e) : new AnepException(ErrorCode.BAD_BUNDLE, "it is no bundle: " + e.getMessage(), e);
        } catch (ClassCastException | NullPointerException | ArithmeticException e) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, "its capability " + NAMESPACE
                    + " lacks name, type-id:Long, version:Version or level, or one of another type", e);
        } finally {
            uninstall(bundle);
        }
    }

    /** Bundles of services that are installed. */
    long services() {
        return Arrays.stream(framework.getBundleContext().getBundles()).filter(LoopWeaver::isService).count();
    }

    /** Whether the framework could not keep its copy, as against a bundle that cannot be read. */
    private static boolean isOfTheDisk(Throwable error) {
        boolean disk = false;
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof ZipException) {
                return false;
            }
            disk |= cause instanceof IOException;
        }
        return disk;
    }

    private static AnepException storage(Throwable error) {
        Throwable first = error;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return new AnepException(ErrorCode.STORAGE, "the framework cannot keep its copy of the bundle: " + first.getMessage(), error);
    }

    private static Map<String, Object> capability(Bundle bundle) {
        List<BundleCapability> capabilities = bundle.adapt(BundleRevision.class).getDeclaredCapabilities(NAMESPACE);
        if (capabilities.size() != 1) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, bundle.getSymbolicName() + " has " + capabilities.size() + " capabilities "
                    + NAMESPACE + "; it must have one");
        }
        return capabilities.get(0).getAttributes();
    }

    /** Declarative Services registers in the course of the start as a rule; it is given a moment all the same. */
    private static ServiceReference<?> registered(Bundle bundle) throws InterruptedException {
        for (long end = System.nanoTime() + REGISTRATION_MILLIS * 1_000_000L; System.nanoTime() < end; Thread.sleep(5)) {
            ServiceReference<?>[] references = bundle.getRegisteredServices();
            for (ServiceReference<?> reference : references == null ? new ServiceReference<?>[0] : references) {
                if (List.of((String[]) reference.getProperty(Constants.OBJECTCLASS)).contains(ActiveService.class.getName())) {
                    return reference;
                }
            }
        }
        throw failed(bundle, "it registers no " + ActiveService.class.getName() + "; is the class annotated with @Component?", null);
    }

    private static AnepException failed(Bundle bundle, String why, Throwable cause) {
        return new AnepException(ErrorCode.SERVICE_START_FAILED, (bundle == null ? "the bundle" : bundle.getSymbolicName() + " "
                + bundle.getVersion()) + " does not start: " + why, cause);
    }

    private void uninstall(Bundle bundle) {
        if (bundle != null) {
            classes.remove(bundle);
            try {
                bundle.uninstall();
            } catch (BundleException | IllegalStateException e) {
                throw failed(bundle, "and cannot be uninstalled: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public void close() {
        try {
            framework.stop();
            framework.waitForStop(STOP_MILLIS);
        } catch (BundleException e) {
            throw new AnepException(ErrorCode.INTERNAL, "the OSGi framework does not stop: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A service that has been made and not yet started. */
    final class Started {
        private final Bundle bundle;
        private final ServiceReference<?> reference;
        private final ActiveService service;
        private final Map<String, Object> capability;

        /** @param reference of the service that it has registered; null for a module */
        private Started(Bundle bundle, ServiceReference<?> reference, ActiveService service, Map<String, Object> capability) {
            this.bundle = bundle;
            this.reference = reference;
            this.service = service;
            this.capability = capability;
        }

        ActiveService service() {
            return service;
        }

        /** The attributes of its capability, typed as its manifest says. */
        Map<String, Object> capability() {
            return capability;
        }

        /** The classes that it has loaded. */
        Set<Class<?>> classes() {
            return classes.getOrDefault(bundle, Set.of());
        }

        void uninstall() {
            if (reference != null) {
                framework.getBundleContext().ungetService(reference);
            }
            ServiceContainer.this.uninstall(bundle);
        }
    }

    /**
     * Keeps services apart: a service gets packages from the node and from itself, never from another service or another version, whose
     * removal would then touch it (OSGi core 8, chapter 57).
     */
    private static final class Isolation implements ResolverHookFactory, ResolverHook {
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
}
