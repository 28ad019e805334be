package dev.shellac.varnishd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CompilerWordsTest {
    @Test
    void thePlaceComesFirstAndTheNoiseIsGone() {
        assertThat(CompilerWords.of("""
                Message from VCC-compiler:
                Expected an action, 'if', '{' or '}'
                At: ('/run/main.vcl' Line 12 Pos 3) -- (Pos 5)
                  foo;
                --###-

                Running VCC-compiler failed, exited with 2
                VCL compilation failed""")).isEqualTo("""
                /run/main.vcl:12:3: Expected an action, 'if', '{' or '}'
                foo;""");
    }

    @Test
    void wordsWithoutAPlaceAreKept() {
        assertThat(CompilerWords.of("Cannot read file 'x.vcl': No such file or directory\n"))
                .isEqualTo("Cannot read file 'x.vcl': No such file or directory");
    }
}
