package dev.shellac.varnishconfig.table;

import java.nio.ByteBuffer;

/** The bytes of a host with its routes. */
interface TableHost {
    int length();

    void copyTo(ByteBuffer target);
}
