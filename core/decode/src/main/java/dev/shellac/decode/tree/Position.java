package dev.shellac.decode.tree;

/** Where something was written; lines count from 1, and 0 is the file or folder as a whole. */
public record Position(String file, int line) {
    public static Position whole(String file) {
        return new Position(file, 0);
    }

    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}
