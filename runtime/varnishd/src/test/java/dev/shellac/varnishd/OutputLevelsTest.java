package dev.shellac.varnishd;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class OutputLevelsTest {
    private static List<Level> levels(String... lines) {
        var levels = new OutputLevels();
        return Stream.of(lines).map(levels::of).toList();
    }

    @Test
    void aHeadingIsNoNewsAndWhatIsUnderItMayBe() {
        assertThat(levels(
                        "Warnings:",
                        "",
                        "Change will take effect when VCL script is reloaded",
                        "Info: Working directory not mounted on tmpfs partition",
                        "",
                        "Debug: Child (7) Started",
                        "Child launched OK"))
                .containsOnly(Level.DEBUG);
        assertThat(levels("Warnings:", "", "a knob is too low", "Info: something else", "Child launched OK"))
                .containsExactly(Level.DEBUG, Level.DEBUG, Level.INFO, Level.DEBUG, Level.DEBUG);
    }

    @Test
    void errorsAndWarningsAreHeard() {
        assertThat(levels("Warning: mlock() failed", "Error: no space", "Assert error in main()", "Info: started"))
                .containsExactly(Level.INFO, Level.WARNING, Level.WARNING, Level.DEBUG);
    }
}
