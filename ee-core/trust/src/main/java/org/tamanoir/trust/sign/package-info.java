/**
 * How a publisher signs a bundle: {@link org.tamanoir.trust.sign.SigningKey} takes the key out of a keystore,
 * {@link org.tamanoir.trust.sign.BundleSigner} signs with it.
 *
 * <p>Needs the JDK's module {@code jdk.jartool}, which a JDK has and a smaller runtime may lack. What it makes passes the checks of
 * {@link org.tamanoir.trust.jar}, or it is not made.
 */
package org.tamanoir.trust.sign;
