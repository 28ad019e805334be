package dev.shellac.model.gateway;

import java.util.Optional;

/** An address that a Gateway asks for; without a value, any of that type. */
public record AddressRequest(String type, Optional<String> value, Optional<String> routability) {}
