package org.tamanoir.node.deploy;

import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.service.Level;

/**
 * What is known of a service without having it.
 *
 * @param level as it is declared; null if a source says something that is no level
 */
public record Descriptor(int typeId, String name, Level level) {
    static Descriptor of(FoundBundle bundle) {
        for (Level level : Level.values()) {
            if (level.name().equalsIgnoreCase(bundle.level())) {
                return new Descriptor(bundle.typeId(), bundle.name(), level);
            }
        }
        return new Descriptor(bundle.typeId(), bundle.name(), null);
    }
}
