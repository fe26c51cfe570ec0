package org.tamanoir.wasm.proxy;

/** What functions of the host return: {@code proxy_status_t}. */
enum Status {
    OK(0),
    NOT_FOUND(1),
    BAD_ARGUMENT(2),
    INVALID_MEMORY_ACCESS(6),
    CAS_MISMATCH(8),
    INTERNAL_FAILURE(10),
    UNIMPLEMENTED(12);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
