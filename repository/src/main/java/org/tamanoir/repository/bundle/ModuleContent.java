package org.tamanoir.repository.bundle;

import aQute.bnd.osgi.Domain;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;

/**
 * Bundles with {@code runtime="wasm"}: one WebAssembly module and nothing that a JVM would run. A node starts nothing of such a bundle, so whatever
 * asks it to is a mistake of the author, or a trap.
 */
final class ModuleContent {
    /** Octets that a module may have. */
    static final int MOST = WasmLimits.PRESET.moduleOctets();
    private static final String LEVEL = "heavy";
    private static final String CHECKPOINT = "checkpoint";
    private static final List<String> OF_JAVA = List.of("Bundle-Activator", "Service-Component", "Import-Package", "Export-Package", "Bundle-NativeCode",
            "Require-Capability", "Bundle-RequiredExecutionEnvironment");

    private ModuleContent() {
    }

    static void check(ServiceBundle bundle, BundleContent content, Domain headers, Faults faults) {
        if (!bundle.level().equals(LEVEL)) {
            faults.add("its level is " + bundle.level() + "; modules are heavy");
        }
        if (CHECKPOINT.equals(bundle.resume())) {
            faults.add("it says resume=\"" + CHECKPOINT + "\"; a module has no checkpoints");
        }
        for (String header : OF_JAVA) {
            if (headers.get(header) != null) {
                faults.add(header + " is for services in Java: leave it out of the bundle of a module");
            }
        }
        content.classes().keySet().forEach(entry -> faults.add(entry + " is a class file: a module's bundle has none"));
        content.entries().stream().filter(entry -> entry.endsWith(".jar")).forEach(entry -> faults.add(entry + " is a jar: a module's bundle has none"));
        if (content.module() == null) {
            faults.add("it has no entry " + WasmModule.ENTRY);
        }
    }

    /** @throws AnepException EE-650 to EE-652 or EE-658 */
    static void read(BundleContent content) {
        WasmModule.read(content.module());
    }
}
