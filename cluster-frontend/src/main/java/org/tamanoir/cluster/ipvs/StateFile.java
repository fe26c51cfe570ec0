package org.tamanoir.cluster.ipvs;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;

/** What the next start has to know if this one is killed: {@code state.json}. Written before what it tells of is done. */
final class StateFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * What belongs to an engine.
     *
     * @param owner    its name in nftables' table, 16 hexadecimal digits
     * @param services that it has put into the kernel or is about to, as {@link ServiceKey#toString} has them
     * @param sysctls  that it has changed, with what they were before
     * @param pid      of keepalived; 0 for none
     * @param started  when that process started, in clock ticks after boot (proc(5), field 22 of stat)
     * @param boot     of the machine at which these are true
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record State(String owner, List<String> services, Map<String, String> sysctls, long pid, long started, String boot) {
    }

    private final Path file;

    StateFile(Path directory) {
        file = directory.resolve("state.json");
    }

    /** The state of the last start; null if there is none. @throws AnepException EE-905 if it cannot be read */
    State read() {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            State state = JSON.readValue(file.toFile(), State.class);
            if (state.owner == null || !state.owner.matches("[0-9a-f]{16}") || state.services == null || state.sysctls == null || state.boot == null) {
                throw new IOException("it lacks a part");
            }
            return state;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, file + " cannot be read, so what an earlier run has left is not known (" + AnepException.reason(e)
                    + "): look at ipvsadm -L -n and delete the file", e);
        }
    }

    /** When this returns the state survives a crash. @throws AnepException EE-905 */
    void write(State state) {
        try {
            Durable.replace(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(state));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot write " + file + ": " + AnepException.reason(e), e);
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }
}
