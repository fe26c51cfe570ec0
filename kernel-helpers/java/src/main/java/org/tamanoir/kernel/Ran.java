package org.tamanoir.kernel;

/**
 * How a frame left the ingress program, for tests.
 *
 * @param verdict what the program returned: {@code TC_ACT_*} or {@code TCX_*}
 * @param frame   the frame as it left
 */
public record Ran(int verdict, byte[] frame) {
}
