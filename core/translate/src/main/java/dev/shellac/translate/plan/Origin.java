package dev.shellac.translate.plan;

import dev.shellac.model.Name;
import java.time.Instant;
import java.util.Optional;

/** The route, rule and match that an element of the plan came from. */
public record Origin(Name route, Optional<Instant> created, int rule, Optional<String> ruleName, int match) {}
