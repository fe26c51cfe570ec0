package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.within;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.offload.KernelSettings;

/** {@code kernel:} of the configuration; see {@link KernelSettings}. */
public record KernelSection(KernelSettings.Use use, List<String> interfaces, List<String> xdp, Integer rules, Integer flows) {
    public KernelSection {
        use = or(use, KernelSettings.Use.AUTO);
        interfaces = interfaces == null ? null : List.copyOf(interfaces);
        xdp = xdp == null ? List.of() : List.copyOf(xdp);
        rules = or(within("rules", rules, 1, 65_536), 16_384);
        flows = or(within("flows", flows, 1, 1 << 20), 65_536);
    }

    static KernelSettings.Use use(String word) {
        return switch (word) {
            case "auto" -> KernelSettings.Use.AUTO;
            case "off" -> KernelSettings.Use.OFF;
            case "required" -> KernelSettings.Use.REQUIRED;
            default -> throw new AnepException(ErrorCode.BAD_CONFIGURATION, "it is '" + word + "'; it is auto, off or required");
        };
    }

    static KernelSection preset() {
        return new KernelSection(null, null, null, null, null);
    }

    KernelSettings settings() {
        return new KernelSettings(use, interfaces, xdp, rules, flows);
    }
}
