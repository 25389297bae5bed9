// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Variables with a default, as a shell writes them: {@code ${NAME:-default}} is the environment's
 * NAME, or the default where that is missing or empty. Other forms with a dollar stay as they are.
 */
final class DefaultedVariables {
  private static final Pattern FORM = Pattern.compile("\\$\\{([A-Za-z_]\\w*):-([^}\\n]*)}");

  private DefaultedVariables() {}

  static String replaced(String text) {
    return replaced(text, System::getenv);
  }

  static String replaced(String text, UnaryOperator<String> environment) {
    return FORM.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(found, environment)));
  }

  private static String value(MatchResult found, UnaryOperator<String> environment) {
    String set = environment.apply(found.group(1));
    return set == null || set.isEmpty() ? found.group(2) : set;
  }
}
