package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan.RealServer;

/** The files that keepalived reads weights from, and reads again as soon as they change (inotify(7)). Not safe for several threads. */
final class WeightFiles {
    private final Path directory;
    private final Map<String, String> written = new HashMap<>();

    WeightFiles(Path directory) {
        this.directory = directory;
    }

    /** Writes those that have changed. @throws AnepException EE-905 */
    void write(List<Director.Service> services) {
        try {
            Files.createDirectories(directory);
            for (Director.Service service : services) {
                for (RealServer server : service.servers()) {
                    write(KeepalivedConf.weightName(service.key(), server), KeepalivedConf.weightFile(server));
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot write weights into " + directory + ": " + AnepException.reason(e), e);
        }
    }

    private void write(String name, String text) throws IOException {
        if (!text.equals(written.get(name))) {
            // Its reader must never find half a number; after a crash it is written anew, so nothing forces it to the disk.
            Path part = directory.resolve(name + ".part");
            Files.writeString(part, text);
            Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            written.put(name, text);
        }
    }

    /** Deletes the files that these services do not need: all of them, also those of an earlier run. */
    void keepOnly(List<Director.Service> services) {
        Set<String> needed = new HashSet<>();
        services.forEach(service -> service.servers().forEach(server -> needed.add(KeepalivedConf.weightName(service.key(), server))));
        written.keySet().retainAll(needed);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (!needed.contains(file.getFileName().toString())) {
                    Keepalived.quietlyDelete(file);
                }
            }
        } catch (IOException e) {
            // There is none, so nothing is too much.
        }
        if (needed.isEmpty()) {
            Keepalived.quietlyDelete(directory);
        }
    }
}
