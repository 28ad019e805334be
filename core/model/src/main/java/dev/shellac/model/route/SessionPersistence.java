package dev.shellac.model.route;

/** That a client stays with one backend, by a cookie or a header. */
public record SessionPersistence(String kind) {}
