package org.tamanoir.tuf.sign;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Key;

/**
 * Signs metadata.
 *
 * @param secret never printed
 * @param key    its public half
 */
public record RoleSigner(PrivateKey secret, Key key) {
    /** @throws AnepException EE-501 if it is neither Ed25519 nor of P-256 */
    public static RoleSigner of(PrivateKey secret, PublicKey key) {
        return new RoleSigner(secret, key(key));
    }

    /** A public key as metadata has it. @throws AnepException EE-501 if it is neither Ed25519 nor of P-256 */
    public static Key key(PublicKey key) {
        return Key.of(key).orElseThrow(() -> new AnepException(ErrorCode.BAD_CONFIGURATION, "a key of " + key.getAlgorithm()
                + " signs no metadata: make one with keytool -keyalg Ed25519, or -keyalg EC -groupname secp256r1"));
    }

    byte[] sign(byte[] octets) {
        try {
            Signature signature = Signature.getInstance(secret instanceof ECKey ? "SHA256withECDSA" : "Ed25519");
            signature.initSign(secret);
            signature.update(octets);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key that has been read signs", e);
        }
    }

    @Override
    public String toString() {
        return "key " + key.id();
    }
}
