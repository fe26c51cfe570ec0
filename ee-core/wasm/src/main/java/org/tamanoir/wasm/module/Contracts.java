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

    /** Whatever hosts of proxy-wasm grant, from 0.1.0 to 0.2.1; what has no meaning here is answered with a status. */
    private static final Set<String> PROXY_NAMES = Set.of("proxy_done", "proxy_set_effective_context", "proxy_get_configuration", "proxy_log", "proxy_get_log_level",
            "proxy_get_current_time_nanoseconds", "proxy_set_tick_period_milliseconds", "proxy_set_buffer_bytes", "proxy_get_buffer_bytes", "proxy_get_buffer_status",
            "proxy_continue_stream", "proxy_close_stream", "proxy_set_shared_data", "proxy_get_shared_data", "proxy_define_metric", "proxy_record_metric",
            "proxy_increment_metric", "proxy_get_metric", "proxy_get_property", "proxy_set_property", "proxy_get_header_map_size", "proxy_get_header_map_pairs",
            "proxy_set_header_map_pairs", "proxy_get_header_map_value", "proxy_add_header_map_value", "proxy_replace_header_map_value", "proxy_remove_header_map_value",
            "proxy_send_local_response", "proxy_continue_request", "proxy_continue_response", "proxy_clear_route_cache", "proxy_http_call", "proxy_grpc_call",
            "proxy_grpc_stream", "proxy_grpc_send", "proxy_grpc_cancel", "proxy_grpc_close", "proxy_get_status", "proxy_register_shared_queue", "proxy_resolve_shared_queue",
            "proxy_enqueue_shared_queue", "proxy_dequeue_shared_queue", "proxy_call_foreign_function");

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
        } else if (!PROXY_NAMES.contains(wanted.name())) {
            throw outside("it imports " + wanted + ", which proxy-wasm does not have");
        }
    }

    static AnepException outside(String why) {
        return new AnepException(ErrorCode.MODULE_OUTSIDE_CONTRACT, "the module keeps no contract with nodes: " + why);
    }
}
