package org.tamanoir.wasm.module;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Which functions each contract knows, and of which type. */
final class Contracts {
    private static final String WASI = "wasi_snapshot_preview1";

    /** What the node grants by its own contract. */
    private static final Map<String, Signature> TAMANOIR = Map.of(
            "emit", Signature.of("iii:i"),
            "log", Signature.of("iii:"),
            "counter", Signature.of("ii:i"),
            "add", Signature.of("iI:"),
            "option", Signature.of("iiii:i"),
            "now", Signature.of(":I"),
            "crc32c", Signature.of("iii:i"),
            "compress", Signature.of("iiiii:i"),
            "decompress", Signature.of("iiiii:i"));

    /** Exports of the node's own contract that have a type. */
    private static final Map<String, Signature> TAMANOIR_EXPORTS = Map.of(
            "tamanoir_buffer", Signature.of("i:i"),
            "tamanoir_run", Signature.of("iii:i"),
            "tamanoir_open", Signature.of(":i"),
            "tamanoir_end", Signature.of("i:"),
            "tamanoir_close", Signature.of(":"),
            "_initialize", Signature.of(":"));

    /** Whatever WASI preview 1 has; all but a few are answered with an error. */
    private static final Set<String> WASI_NAMES = Set.of("args_get", "args_sizes_get", "environ_get", "environ_sizes_get", "clock_res_get",
            "clock_time_get", "fd_advise", "fd_allocate", "fd_close", "fd_datasync", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_fdstat_set_rights",
            "fd_filestat_get", "fd_filestat_set_size", "fd_filestat_set_times", "fd_pread", "fd_prestat_get", "fd_prestat_dir_name", "fd_pwrite",
            "fd_read", "fd_readdir", "fd_renumber", "fd_seek", "fd_sync", "fd_tell", "fd_write", "path_create_directory", "path_filestat_get",
            "path_filestat_set_times", "path_link", "path_open", "path_readlink", "path_remove_directory", "path_rename", "path_symlink",
            "path_unlink_file", "poll_oneoff", "proc_exit", "proc_raise", "sched_yield", "random_get", "sock_accept", "sock_recv", "sock_send",
            "sock_shutdown");

    private Contracts() {
    }

    /** The one contract that the exports are of. */
    static Abi of(Map<String, Signature> exports) {
        List<Abi> found = Arrays.stream(Abi.values()).filter(abi -> exports.keySet().containsAll(abi.marks())).toList();
        if (found.size() != 1) {
            throw outside(found.isEmpty()
                    ? "it exports neither tamanoir_run nor proxy_abi_version_0_2_1, 0_2_0 or 0_1_0, so no node knows how to call it"
                    : "it exports the marks of several contracts: " + found);
        }
        return found.get(0);
    }

    static void check(Abi abi, List<Import> imports, Map<String, Signature> exports) {
        for (Import wanted : imports) {
            checkImport(abi, wanted);
        }
        if (abi == Abi.TAMANOIR_1) {
            if (!exports.containsKey("tamanoir_buffer")) {
                throw outside("it exports no tamanoir_buffer");
            }
            TAMANOIR_EXPORTS.forEach((name, signature) -> {
                Signature has = exports.get(name);
                if (has != null && !has.equals(signature)) {
                    throw outside("its " + name + " has the type " + has + " instead of " + signature);
                }
            });
        }
    }

    private static void checkImport(Abi abi, Import wanted) {
        if (wanted.module().equals(WASI)) {
            String result = wanted.signature().results();
            if (!WASI_NAMES.contains(wanted.name()) || !result.equals(wanted.name().equals("proc_exit") ? "" : "i")) {
                throw outside("it imports " + wanted + ", which WASI preview 1 does not have");
            }
            return;
        }
        if (!wanted.module().equals(abi.importModule())) {
            throw outside("it imports " + wanted + "; a node grants only " + abi.importModule() + " and " + WASI);
        }
        if (abi == Abi.TAMANOIR_1) {
            Signature known = TAMANOIR.get(wanted.name());
            if (!wanted.signature().equals(known)) {
                throw outside("it imports " + wanted + (known == null ? ", which no node grants" : ", whose type is " + known));
            }
        } else if (!wanted.name().startsWith("proxy_")) {
            throw outside("it imports " + wanted + ", which proxy-wasm does not have");
        }
    }

    static AnepException outside(String why) {
        return new AnepException(ErrorCode.MODULE_OUTSIDE_CONTRACT, "the module keeps no contract with nodes: " + why);
    }
}
