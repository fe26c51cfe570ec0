package org.tamanoir.kernel;

/** How the program of an interface is attached. */
public enum Attachment {
    /** A link of tcx, Linux 6.6 and later: it goes with the process. */
    TCX,
    /** A filter of the clsact queueing discipline, for kernels before. */
    CLSACT;

    /** Of {@code TAM_BY_*}. */
    static Attachment of(int code) {
        return code == 1 ? TCX : CLSACT;
    }
}
