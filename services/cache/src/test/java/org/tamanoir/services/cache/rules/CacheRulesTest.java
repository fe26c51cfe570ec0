package org.tamanoir.services.cache.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;

/** RFC 9111 by tables: what an answer says, when it came, who asks, and what follows. */
class CacheRulesTest {
    /** Sun, 06 Nov 1994 08:49:37 GMT, the date of the examples in RFC 9110. */
    private static final long DATE = 784_111_777_000L;
    private static final String DATE_FIELD = "Date: Sun, 06 Nov 1994 08:49:37 GMT";

    private static Head answer(String fields) {
        return Head.answer(200, "OK", fields(DATE_FIELD + "; " + fields));
    }

    private static Head request(String fields) {
        return new Head("GET", "/", "HTTP/1.1", fields(fields));
    }

    private static List<Field> fields(String text) {
        List<Field> fields = new ArrayList<>();
        for (String line : text.split("; *")) {
            if (line.contains(":")) {
                fields.add(new Field(line.substring(0, line.indexOf(':')).strip(), line.substring(line.indexOf(':') + 1).strip()));
            }
        }
        return fields;
    }

    private static Stored stored(String fields, boolean asks) {
        return Stored.of(answer(fields), DATE, DATE, asks);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Cache-Control: max-age=60                                  | 60",
        "Cache-Control: max-age=60, s-maxage=10                     | 10",
        "Cache-Control: MAX-AGE=\"60\"                              | 60",
        "Cache-Control: max-age=60; Cache-Control: max-age=30       | 30",
        "Cache-Control: max-age=99999999999999                      | 2147483648",
        "Cache-Control: max-age=soon                                | 0",
        "Cache-Control: x=\"a, max-age=9\", max-age=5               | 5",
        "Cache-Control: max-age=60; Expires: 0                      | 60",
        "Expires: Sun, 06 Nov 1994 08:50:37 GMT                     | 60",
        "Expires: Sunday, 06-Nov-94 08:50:37 GMT                    | 60",
        "Expires: Sun Nov  6 08:50:37 1994                          | 60",
        "Expires: 0                                                 | 0",
        "Expires: Sun, 06 Nov 1994 08:48:37 GMT                     | 0",
        "Last-Modified: Sun, 06 Nov 1994 08:32:57 GMT               | 100",
        "Last-Modified: Sun, 06 Nov 1995 08:32:57 GMT               | 0",
        "X: y                                                       | 0"})
    void anAnswerIsFreshForSoLong(String fields, long seconds) {
        assertThat(stored(fields, false).lifetime(0.1)).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "X: y     | 0 | 0 | 5 | 5",
        "Age: 100 | 0 | 0 | 5 | 105",
        "Age: 100 | 0 | 3 | 5 | 108",
        "X: y     | 7 | 7 | 0 | 7",
        "Age: -1  | 0 | 0 | 5 | 5"})
    void itsAgeCountsWhatItHadAndWhatTheWayTook(String fields, long asked, long answered, long later, long age) {
        Stored stored = Stored.of(answer(fields), DATE + asked * 1000, DATE + answered * 1000, false);
        assertThat(stored.age(DATE + (answered + later) * 1000)).isEqualTo(age);
    }

    /** Age of the answer in seconds, whether it asks for permission, whether it was asked for before it came. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "X: y                              | Cache-Control: max-age=60                    | 59 | false | false | true",
        "X: y                              | Cache-Control: max-age=60                    | 60 | false | false | false",
        "X: y                              | Cache-Control: max-age=60                    | 1  | true  | false | false",
        "X: y                              | Cache-Control: max-age=60, no-cache          | 1  | false | false | false",
        "X: y                              | Cache-Control: max-age=60, no-cache          | 0  | false | true  | false",
        "X: y                              | Cache-Control: max-age=0                     | 0  | false | true  | true",
        "X: y                              | Cache-Control: max-age=0                     | 0  | true  | true  | false",
        "Cache-Control: no-cache           | Cache-Control: max-age=60                    | 1  | false | false | false",
        "Pragma: no-cache                  | Cache-Control: max-age=60                    | 1  | false | false | false",
        "Cache-Control: max-age=5          | Cache-Control: max-age=60                    | 6  | false | false | false",
        "Cache-Control: max-age=0          | Cache-Control: max-age=60                    | 0  | false | false | false",
        "Cache-Control: min-fresh=10       | Cache-Control: max-age=60                    | 51 | false | false | false",
        "Cache-Control: max-stale          | Cache-Control: max-age=60                    | 99 | false | false | true",
        "Cache-Control: max-stale=9        | Cache-Control: max-age=60                    | 69 | false | false | true",
        "Cache-Control: max-stale=9        | Cache-Control: max-age=60                    | 70 | false | false | false",
        "Cache-Control: max-stale=0        | Cache-Control: max-age=60                    | 61 | false | false | false",
        "Cache-Control: max-stale          | Cache-Control: max-age=60, must-revalidate   | 99 | false | false | false",
        "Cache-Control: max-stale          | Cache-Control: s-maxage=60                   | 99 | false | false | false"})
    void itIsGivenAwayWithoutAWordOfTheOriginOnlyIf(String asks, String says, long age, boolean permission, boolean together, boolean usable) {
        assertThat(Using.isUsable(request(asks), stored(says, permission), DATE + age * 1000, 0.1, together)).isEqualTo(usable);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "X: y                              | Cache-Control: max-age=60, stale-if-error=30                  | 90 | 0   | true",
        "X: y                              | Cache-Control: max-age=60, stale-if-error=30                  | 91 | 0   | false",
        "X: y                              | Cache-Control: max-age=60                                     | 90 | 30  | true",
        "X: y                              | Cache-Control: max-age=60, stale-if-error=0                   | 90 | 30  | false",
        "Cache-Control: stale-if-error=30  | Cache-Control: max-age=60                                     | 90 | 0   | true",
        "X: y                              | Cache-Control: max-age=60, stale-if-error=30, must-revalidate | 70 | 0   | false",
        "X: y                              | Cache-Control: s-maxage=60, stale-if-error=30                 | 70 | 0   | false"})
    void whatIsStaleHelpsWhenTheOriginFailsOnlyIf(String asks, String says, long age, long preset, boolean usable) {
        assertThat(Using.isUsableOnError(request(asks), stored(says, false), DATE + age * 1000, 0.1, preset)).isEqualTo(usable);
    }
}
