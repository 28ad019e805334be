package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The input files of a case, from the name that the case reads them by to where they are. */
public record CaseInputs(SortedMap<String, Path> files) {
    public CaseInputs {
        files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    }

    public static CaseInputs of(Map<String, Path> files) {
        return new CaseInputs(new TreeMap<>(files));
    }

    /** Every file below {@code folder}, named by its path from there. */
    public static CaseInputs folder(Path folder) throws IOException {
        return of(TextFile.below(folder));
    }
}
