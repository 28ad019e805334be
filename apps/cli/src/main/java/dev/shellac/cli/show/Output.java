package dev.shellac.cli.show;

/** For whom. */
public enum Output {
    TEXT,
    JSON
}
