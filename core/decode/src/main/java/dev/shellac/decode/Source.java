package dev.shellac.decode;

import dev.shellac.decode.tree.Document;
import dev.shellac.decode.tree.TreeReader;
import dev.shellac.decode.tree.TreeReader.Syntax;
import java.nio.charset.StandardCharsets;

/** A file by the name that its reader knows, and its bytes. */
public final class Source {
    private final String file;
    private final byte[] bytes;

    private Source(String file, byte[] bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    public static Source of(String file, byte[] bytes) {
        return new Source(file, bytes.clone());
    }

    public static Source of(String file, String text) {
        return new Source(file, text.getBytes(StandardCharsets.UTF_8));
    }

    Document read() {
        return TreeReader.read(file, bytes, Syntax.of(file));
    }

    /** The name alone: the content may hold secrets. */
    @Override
    public String toString() {
        return file;
    }
}
