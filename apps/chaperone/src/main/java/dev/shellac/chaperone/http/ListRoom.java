package dev.shellac.chaperone.http;

import java.util.Arrays;

/** Room for the elements of one list. */
final class ListRoom {
    private final int letters;
    private int elements;
    private int bytes;

    /**
     * For a list that is still empty.
     *
     * @param elements that it may have
     * @param letters of the text of an element that is words
     * @param bytes of JSON that all of them may take
     */
    ListRoom(int elements, int letters, int bytes) {
        this.elements = elements;
        this.letters = letters;
        this.bytes = bytes;
    }

    String cut(String words) {
        return words.length() <= letters ? words : words.substring(0, letters);
    }

    /**
     * Whether there is room for one more element with these texts; it is taken then.
     *
     * @param besides bytes of the element that are not of its texts
     */
    boolean takes(int besides, String... texts) {
        long wanted = besides + Arrays.stream(texts).mapToLong(ListRoom::bytes).sum();
        if (elements == 0 || wanted > bytes) {
            return false;
        }
        elements--;
        bytes -= (int) wanted;
        return true;
    }

    // No less than it takes: a control character is written as six bytes, and no other UTF-16 unit needs more than
    // three.
    private static long bytes(String text) {
        return text.chars()
                .mapToLong(c -> c < ' ' || c == '"' || c == '\\' ? 6 : c < 0x80 ? 1 : 3)
                .sum();
    }
}
