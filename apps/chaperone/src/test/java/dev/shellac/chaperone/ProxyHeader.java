package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** What a load balancer says before the first byte of a client. */
final class ProxyHeader {
    private static final byte[] SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".getBytes(US_ASCII);
    private static final int SOURCE_PORT = 4711;

    private ProxyHeader() {}

    /** Version 1, a line. The balancer's own address is of the client's family. */
    static byte[] line(String client, int port) {
        boolean six = client.contains(":");
        return "PROXY %s %s %s %d %d\r\n"
                .formatted(six ? "TCP6" : "TCP4", client, six ? "2001:db8::1" : "198.51.100.1", SOURCE_PORT, port)
                .getBytes(US_ASCII);
    }

    /** Version 2, of IPv4. */
    static byte[] bytes(String client, int port) {
        return ByteBuffer.allocate(28)
                .put(SIGNATURE)
                .put((byte) 0x21)
                .put((byte) 0x11)
                .putShort((short) 12)
                .put(InetAddress.ofLiteral(client).getAddress())
                .put(InetAddress.ofLiteral("198.51.100.1").getAddress())
                .putShort((short) SOURCE_PORT)
                .putShort((short) port)
                .array();
    }

    /** Version 2 of a balancer that looks whether somebody is there. */
    static byte[] ofItself() {
        return ByteBuffer.allocate(16)
                .put(SIGNATURE)
                .put((byte) 0x20)
                .put((byte) 0)
                .putShort((short) 0)
                .array();
    }

    /** A connection on which this was said. */
    static Socket said(byte[] header, int port) throws IOException {
        Socket socket = KeptConnection.socket(port);
        try {
            socket.getOutputStream().write(header);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
