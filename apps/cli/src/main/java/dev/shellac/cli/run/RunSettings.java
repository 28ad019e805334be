package dev.shellac.cli.run;

import dev.shellac.varnishd.ListenSocket;
import dev.shellac.varnishd.Patience;
import dev.shellac.varnishd.VarnishdSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What every varnishd has in common.
 *
 * @param command the words that start it
 * @param ghost the VMOD's file
 * @param bind the address of Gateways that ask for none; none is all of this host's
 * @param runtime a folder for what lasts as long as this run: sockets, tables, VCL
 */
record RunSettings(
        List<String> command,
        Optional<Path> ghost,
        Optional<String> bind,
        String storage,
        Map<String, String> parameters,
        Path runtime) {
    RunSettings {
        command = List.copyOf(command);
        parameters = Map.copyOf(parameters);
    }

    static Patience patience() {
        return Patience.usual();
    }

    VarnishdSettings varnishd(Path folder, List<ListenSocket> sockets) {
        var settings = VarnishdSettings.of(command, folder, sockets).withStorage(storage);
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            settings = settings.withParameter(parameter.getKey(), parameter.getValue());
        }
        Optional<Path> vmods = ghost.map(Path::toAbsolutePath).map(Path::getParent);
        return vmods.isPresent() ? settings.withVmods(vmods.get()) : settings;
    }
}
