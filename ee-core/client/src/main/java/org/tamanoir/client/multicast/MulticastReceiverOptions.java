package org.tamanoir.client.multicast;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.dyram.receiver.ReceiverSettings;

/** How a {@link MulticastReceiver} takes part. */
public final class MulticastReceiverOptions {
    private final InetSocketAddress group;
    private final String name;
    private final Path output;
    private InetSocketAddress via;
    private String networkInterface;
    private byte[] secret = {};
    private Duration patience = ReceiverSettings.PATIENCE;
    private Duration sessionWait;
    private Set<Long> except = Set.of();
    private boolean overwrite;
    private int port;
    private Consumer<String> notices = notice -> { };

    /**
     * Options with presets.
     *
     * @param group  a multicast address and a port: the session that is announced for it first is the one that is taken
     * @param name   under which the source knows this receiver, 1 to 64 octets; one that is started again keeps it
     * @param output directory for the files, of this receiver alone
     */
    public MulticastReceiverOptions(InetSocketAddress group, String name, Path output) {
        this.group = group;
        this.name = name;
        this.output = output;
    }

    /** The node of this site; preset none: the source is heard on the group itself. */
    public MulticastReceiverOptions via(InetSocketAddress node) {
        this.via = node;
        return this;
    }

    /** The interface on which the group is heard; preset the one that leads to the node, or to the group. */
    public MulticastReceiverOptions networkInterface(String device) {
        this.networkInterface = device;
        return this;
    }

    /** What source and receivers share; preset nothing. */
    public MulticastReceiverOptions secret(byte[] secret) {
        this.secret = secret.clone();
        return this;
    }

    /** How long it waits for a source that has gone silent, and for one with its secret where others are. Preset 30 s. */
    public MulticastReceiverOptions patience(Duration time) {
        this.patience = time;
        return this;
    }

    /** How long it waits for a session that it can take; preset for ever. */
    public MulticastReceiverOptions sessionWait(Duration time) {
        this.sessionWait = time;
        return this;
    }

    /** Sessions that it does not take, by their numbers: those that it had. Preset none. */
    public MulticastReceiverOptions except(Set<Long> sessions) {
        this.except = Set.copyOf(sessions);
        return this;
    }

    /** Whether files that are there are replaced. Default: the session is refused. */
    public MulticastReceiverOptions overwrite(boolean overwrite) {
        this.overwrite = overwrite;
        return this;
    }

    /** The UDP port for unicast; preset any. */
    public MulticastReceiverOptions port(int port) {
        this.port = port;
        return this;
    }

    /** Is told, in a sentence and on any thread, what is not as usual and does not end it. */
    public MulticastReceiverOptions notices(Consumer<String> notices) {
        this.notices = notices;
        return this;
    }

    InetSocketAddress group() {
        return group;
    }

    String name() {
        return name;
    }

    Path output() {
        return output;
    }

    /** With its address; null if there is none. */
    InetSocketAddress via() {
        return via == null ? null : NetworkFailures.resolved(via);
    }

    String networkInterface() {
        return networkInterface;
    }

    byte[] secret() {
        return secret.clone();
    }

    Duration patience() {
        return patience;
    }

    /** Null: for ever. */
    Duration sessionWait() {
        return sessionWait;
    }

    Set<Long> except() {
        return except;
    }

    boolean overwrite() {
        return overwrite;
    }

    int port() {
        return port;
    }

    Consumer<String> notices() {
        return notices;
    }

    /** Fails for what makes no sense. @throws AnepException EE-408 */
    void check() {
        MulticastSenderOptions.checkGroup(group);
        MulticastSenderOptions.checkName(name);
    }

    ReceiverSettings settings(long instance) {
        return new ReceiverSettings(name, instance, secret, group, via(), ReceiverSettings.GATHER, patience, ReceiverSettings.WINDOW);
    }
}
