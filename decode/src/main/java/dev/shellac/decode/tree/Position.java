package dev.shellac.decode.tree;

/** Where something was written; lines count from 1. */
public record Position(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
