package dev.shellac.translate.resolve;

import dev.shellac.model.Name;

/** The user's own VCL, and the ConfigMap it came from. */
public record UserVcl(Name configMap, String key, String text) {}
