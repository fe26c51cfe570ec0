package org.tamanoir.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Tamanoir.class.getPackage().getImplementationVersion();
        return new String[] {"tamanoir " + (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version()};
    }
}
