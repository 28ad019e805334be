package dev.shellac.cli.run;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;

/** The addresses of this host. */
final class Hosts {
    private Hosts() {}

    /** Those at which others can reach it; its own if there are none. */
    static List<String> ownAddresses() {
        try {
            List<String> found = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address
                            && !address.isLoopbackAddress()
                            && !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .sorted()
                    .toList();
            return found.isEmpty() ? List.of("127.0.0.1") : found;
        } catch (SocketException e) {
            return List.of("127.0.0.1");
        }
    }

    /** Why a Gateway cannot have an address here; nothing if it can. */
    static Optional<String> obstacle(String type, String address) {
        if (!type.equals("IPAddress")) {
            return Optional.of("addresses of type " + type + " cannot be had on a host");
        }
        try {
            InetAddress parsed = InetAddress.ofLiteral(address);
            return parsed.isAnyLocalAddress() || NetworkInterface.getByInetAddress(parsed) != null || isLoopback(parsed)
                    ? Optional.empty()
                    : Optional.of("this host does not have that address");
        } catch (IllegalArgumentException e) {
            return Optional.of("not an IP address");
        } catch (SocketException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    // All of 127.0.0.0/8 is there, also where the interface names one of it.
    private static boolean isLoopback(InetAddress address) {
        return address.isLoopbackAddress();
    }
}
