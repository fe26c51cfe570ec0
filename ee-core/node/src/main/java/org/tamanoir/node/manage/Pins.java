package org.tamanoir.node.manage;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.node.deploy.VersionPins;
import org.tamanoir.service.rule.Prefix;

/**
 * Versions of services that streams to some prefixes get, whatever the newest is. Replaced as a whole; for any thread.
 */
public final class Pins implements VersionPins {
    /** Streams to {@code prefix} get {@code version} of {@code service}. */
    public record Pin(Prefix prefix, String service, String version) {
    }

    private volatile List<Pin> pins = List.of();

    public synchronized void replace(List<Pin> replacement) {
        List<Pin> sorted = new ArrayList<>(replacement);
        sorted.sort(Comparator.comparingInt((Pin pin) -> pin.prefix().length()).reversed());
        pins = List.copyOf(sorted);
    }

    /** Adds a pin, or puts it in place of the one of that prefix and service. */
    public synchronized void put(Pin pin) {
        List<Pin> changed = new ArrayList<>(pins);
        changed.removeIf(other -> other.prefix().equals(pin.prefix()) && other.service().equals(pin.service()));
        changed.add(pin);
        replace(changed);
    }

    /** Returns whether there was one. */
    public synchronized boolean remove(Prefix prefix, String service) {
        List<Pin> changed = new ArrayList<>(pins);
        boolean found = changed.removeIf(pin -> pin.prefix().equals(prefix) && pin.service().equals(service));
        replace(changed);
        return found;
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
