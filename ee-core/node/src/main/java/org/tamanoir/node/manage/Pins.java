package org.tamanoir.node.manage;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.node.deploy.VersionPins;
import org.tamanoir.node.manage.configuration.Pin;

/**
 * Versions of services that streams to some prefixes get, whatever the newest is. Replaced as a whole; for any thread.
 */
public final class Pins implements VersionPins {
    private volatile List<Pin> pins = List.of();

    public void replace(List<Pin> replacement) {
        pins = replacement.stream().sorted(Comparator.comparingInt((Pin pin) -> pin.prefix().length()).reversed()).toList();
    }

    /** Longest prefix first. */
    public List<Pin> all() {
        return pins;
    }

    @Override
    public boolean isEmpty() {
        return pins.isEmpty();
    }

    @Override
    public String version(String service, InetAddress destination) {
        for (Pin pin : pins) {
            if (pin.service().equals(service) && pin.prefix().contains(destination)) {
                return pin.version();
            }
        }
        return null;
    }

    @Override
    public Set<String> versions(String service) {
        return pins.stream().filter(pin -> pin.service().equals(service)).map(Pin::version).collect(Collectors.toUnmodifiableSet());
    }
}
