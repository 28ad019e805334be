package dev.shellac.model.status;

/** An address of a Gateway: {@code IPAddress} or {@code Hostname}, and its value. */
public record Address(String type, String value) {}
