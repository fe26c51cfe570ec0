package org.tamanoir.observatory.api;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Request;

/** What stands in queries: a wrong one is EE-408 with its name. */
final class Parameters {
    private Parameters() {
    }

    static String text(Request request, String name) {
        return request.query(name).filter(text -> !text.isBlank()).orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, name + " is missing"));
    }

    static double number(Request request, String name, double otherwise, double least, double most) {
        String text = request.query(name).orElse(null);
        try {
            double number = text == null ? otherwise : Double.parseDouble(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, name + " is '" + text + "'; it must be a number from " + least + " to " + most);
    }

    static long whole(String text, String what) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is not " + what, e);
        }
    }
}
