package dev.shellac.cli;

import dev.shellac.model.Name;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code namespace/name}; a name alone is in the namespace {@code default}. */
final class Names implements ITypeConverter<Name> {
    @Override
    public Name convert(String text) {
        int slash = text.indexOf('/');
        if (text.isEmpty() || slash == 0 || slash == text.length() - 1) {
            throw new TypeConversionException("'" + text + "' is no name: write namespace/name");
        }
        return slash < 0 ? new Name("default", text) : new Name(text.substring(0, slash), text.substring(slash + 1));
    }
}
