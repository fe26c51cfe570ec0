package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnepExceptionTest {
    /** The JDK's own messages are often the name of the file and nothing else. */
    @Test
    void whatWentWrongWithAFileIsSaidInWords() {
        assertThat(List.of(new NoSuchFileException("/a"), new FileNotFoundException("/a")))
                .allSatisfy(error -> assertThat(AnepException.reason(error)).isEqualTo("there is no such file or directory"));
        assertThat(AnepException.reason(new AccessDeniedException("/a"))).isEqualTo("permission denied");
        assertThat(List.of(new FileAlreadyExistsException("/a"), new NotDirectoryException("/a")))
                .allSatisfy(error -> assertThat(AnepException.reason(error)).isEqualTo("it is no directory"));
        assertThat(AnepException.reason(new FileSystemException("/a", null, "No space left on device"))).isEqualTo("No space left on device");
        assertThat(AnepException.reason(new FileSystemException("/a"))).isEqualTo("/a");
        assertThat(AnepException.reason(new IOException())).isEqualTo("IOException");
    }

    @Test
    void theTextIsTheMessageWithoutTheCode() {
        AnepException error = new AnepException(ErrorCode.BUSY, "try later");
        assertThat(error.getMessage()).startsWith(ErrorCode.BUSY + " ");
        assertThat(error.text()).isEqualTo("try later");
    }

    /** Numbers come from the wire. */
    @Test
    void aNumberThatNobodyKnowsIsTheCodeOfADefect() {
        for (int number : new int[] {Integer.MIN_VALUE, -1, 0, 100, 999, 1000, Integer.MAX_VALUE}) {
            assertThat(ErrorCode.of(number)).as("%d", number).isEqualTo(ErrorCode.INTERNAL);
        }
        assertThat(ErrorCode.values()).allSatisfy(code -> assertThat(ErrorCode.of(code.number())).isEqualTo(code));
    }
}
