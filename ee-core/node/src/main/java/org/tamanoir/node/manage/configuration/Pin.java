package org.tamanoir.node.manage.configuration;

import org.osgi.framework.Version;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/** New streams to {@code prefix} get {@code version} of {@code service}, whatever the newest is. */
public record Pin(Prefix prefix, String service, String version) {
    /** @throws AnepException EE-501 if the prefix or the version is none */
    public static Pin of(String prefix, String service, String version) {
        try {
            return new Pin(Prefix.parse(prefix), service, Version.parseVersion(version).toString());
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "version '" + version + "' of " + service + " for " + prefix
                    + " is none; it must be one such as 1.2.0", e);
        }
    }

    /** Whether it is for the same streams of the same service. */
    public boolean isInPlaceOf(Pin other) {
        return prefix.equals(other.prefix) && service.equals(other.service);
    }
}
