package org.tamanoir.node.cluster.virtual;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.disk.Durable;

/**
 * What this node has changed on the machine, in a file of its directory: each change before it is made. It is worth nothing after a reboot of the
 * machine, or in another network namespace.
 */
final class ChangeJournal {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeJournal.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MOST_OCTETS = 1 << 20;

    /** The file's content; {@code where} names the kernel and the network. */
    record Content(String where, List<MachineChange> changes) {
    }

    private final Path file;
    private final List<MachineChange> changes = new ArrayList<>();

    ChangeJournal(Path data) {
        this.file = data.resolve("cluster-setup.json");
    }

    List<MachineChange> changes() {
        return List.copyOf(changes);
    }

    /** Takes back what a predecessor has left. What cannot be taken back is kept, and is this one's from now on. */
    void recover() {
        if (!Files.exists(file)) {
            return;
        }
        try {
            if (Files.size(file) > MOST_OCTETS) {
                throw new IOException("it is larger than " + MOST_OCTETS + " octets");
            }
            Content left = MAPPER.readValue(file.toFile(), Content.class);
            if (where().equals(left.where())) {
                changes.addAll(left.changes());
                LOG.info("takes back {} changes to this machine's network that a run before has left", changes.size());
                List<MachineChange> all = changes();
                for (int i = all.size() - 1; i >= 0; i--) {
                    takeBack(all.get(i));
                }
            }
            write();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} cannot be used; look by hand for what a run before has left on this machine: {}", file, e.getMessage());
        }
    }

    /**
     * Makes a change and keeps it.
     *
     * @throws AnepException EE-908; nothing has changed then
     */
    void make(MachineChange change) {
        changes.add(change);
        try {
            write();
        } catch (IOException e) {
            changes.remove(change);
            throw HostNetwork.wrong("it cannot be written down, so it is not done: " + change.text() + ": " + AnepException.reason(e), e);
        }
        try {
            change.make();
        } catch (AnepException e) {
            takeBack(change);
            throw e;
        }
        LOG.info("{}", change.text());
    }

    /** Changes something back, as far as the machine lets it. @return whether it did */
    boolean takeBack(MachineChange change) {
        try {
            change.takeBack();
            changes.remove(change);
            write();
            return true;
        } catch (AnepException | IOException e) {
            LOG.warn("cannot be taken back: {}: {}", change.text(), e.getMessage());
            return false;
        }
    }

    private void write() throws IOException {
        if (changes.isEmpty()) {
            Files.deleteIfExists(file);
            return;
        }
        Durable.replace(file, MAPPER.writeValueAsBytes(new Content(where(), changes)));
    }

    /** The boot of this kernel, and the network namespace of this thread. */
    private static String where() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip() + " " + Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net"));
    }
}
