// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads the classes that ship rows, with their libraries, apart from the broker's class path: both
 * may have other versions of the same library. The agent's own classes are shared.
 */
final class ShippingLoader extends URLClassLoader {
  private static final String SHARED = "io.tailrace.brokeragent.";
  private static final String SHIPPING = SHARED + "shipping.";

  private ShippingLoader(URL[] jars) {
    super("tailrace-shipping", jars, ClassLoader.getPlatformClassLoader());
  }

  /** Starts the rows' way out; the folder has shipping.jar and lib/. */
  static RequestRows start(AgentOptions options) throws IOException, ReflectiveOperationException {
    // Open as long as the broker runs.
    ShippingLoader loader = new ShippingLoader(jars(options.shipping()));
    return (RequestRows)
        loader
            .loadClass(SHIPPING + "ShippedRows")
            .getMethod("start", AgentOptions.class)
            .invoke(null, options);
  }

  private static URL[] jars(Path folder) throws IOException {
    List<URL> jars = new ArrayList<>();
    jars.add(url(folder.resolve("shipping.jar")));
    try (Stream<Path> libraries = Files.list(folder.resolve("lib"))) {
      for (Path library : (Iterable<Path>) libraries.sorted()::iterator) {
        jars.add(url(library));
      }
    }
    return jars.toArray(URL[]::new);
  }

  private static URL url(Path path) throws MalformedURLException {
    return path.toUri().toURL();
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (name.startsWith(SHARED) && !name.startsWith(SHIPPING)) {
      return Class.forName(name, false, ShippingLoader.class.getClassLoader());
    }
    return super.findClass(name);
  }
}
