package dev.shellac.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the jar that this class is in. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"shellac " + (version == null ? "of a checkout" : version), "Java ${java.version}"};
    }
}
