// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import net.bytebuddy.agent.builder.AgentBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers whose classes the agent does not know, and arguments that it cannot use. */
class UnknownBrokerTest {
  private static final String MAIN =
      "{ public static void main(String[] a) { System.out.print(1); } }";

  @TempDir private Path folder;
  private Path agent;

  @BeforeEach
  void makeAgent() throws IOException {
    Manifest manifest = new Manifest();
    Attributes entries = manifest.getMainAttributes();
    entries.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    entries.putValue("Premain-Class", BrokerAgent.class.getName());
    entries.put(
        Attributes.Name.CLASS_PATH,
        location(BrokerAgent.class) + " " + location(AgentBuilder.class));
    agent = folder.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(agent), manifest).close();
    // Shipping that takes rows and drops them.
    Path libraries = Files.createDirectories(folder.resolve("shipping/lib"));
    Files.createFile(libraries.getParent().resolve("shipping.jar"));
    compile(
        libraries.resolve("rows"),
        "ShippedRows",
        "package io.tailrace.brokeragent.shipping; import io.tailrace.brokeragent.*; public class"
            + " ShippedRows implements RequestRows { public static RequestRows start(AgentOptions o)"
            + " { return new ShippedRows(); } public void write(RequestRow row) {} public void"
            + " missed(String id) {} public void ended() {} }");
  }

  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().toString();
  }

  private void compile(Path into, String name, String text) throws IOException {
    Path source = Files.writeString(folder.resolve(name + ".java"), text);
    Files.createDirectories(into);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classPath = System.getProperty("java.class.path");
    int errors =
        compiler.run(null, null, null, "-cp", classPath, "-d", into.toString(), source.toString());
    assertThat(errors).isZero();
  }

  /** Runs the class as a broker's program, and returns what it prints on stderr. */
  private List<String> errorsOf(String main, String argument) throws Exception {
    Path errors = folder.resolve("errors");
    Process broker =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-javaagent:" + agent + "=" + argument,
                "-cp",
                folder.resolve("broker").toString(),
                main)
            .redirectError(errors.toFile())
            .start();
    assertThat(new String(broker.getInputStream().readAllBytes())).isEqualTo("1");
    assertThat(broker.waitFor()).isZero();
    return Files.readAllLines(errors);
  }

  private String options() {
    return "broker=1,collector=http://127.0.0.1:1,shipping=" + folder.resolve("shipping");
  }

  @Test
  void aRequestOfAnotherShapeIsStatedOnceAndTheBrokerGoesOn() throws Exception {
    compile(
        folder.resolve("broker"),
        "Request",
        "package org.apache.kafka.network; public class Request " + MAIN);
    assertThat(errorsOf("org.apache.kafka.network.Request", options()))
        .singleElement()
        .asString()
        .startsWith(
            "tailrace broker agent: this Kafka is not supported: org.apache.kafka.network.Request"
                + " has no apiLocalCompleteTimeNanos, ")
        .endsWith("; request stages are not recorded");
  }

  @Test
  void anEarlierKafkaIsStatedOnceAndTheBrokerGoesOn() throws Exception {
    compile(
        folder.resolve("broker"),
        "RequestChannel",
        "package kafka.network; public class RequestChannel { public static class Request "
            + MAIN
            + " }");
    assertThat(errorsOf("kafka.network.RequestChannel$Request", options()))
        .containsExactly(
            "tailrace broker agent: Kafka before 4.4 is not supported; request stages are not"
                + " recorded");
  }

  @Test
  void aBadArgumentIsOneLineAndTheBrokerGoesOn() throws Exception {
    compile(folder.resolve("broker"), "Other", "public class Other " + MAIN);
    assertThat(errorsOf("Other", options().replace("broker=1", "broker=x")))
        .containsExactly(
            "tailrace broker agent: broker=x must be a broker's number; request stages are not"
                + " recorded");
    assertThat(errorsOf("Other", options() + ",colour=red"))
        .singleElement()
        .asString()
        .contains("colour is no option; those are broker, collector and shipping");
    assertThat(errorsOf("Other", "broker=1,collector=http://x,shipping=" + folder))
        .singleElement()
        .asString()
        .contains(" has no shipping.jar; run make setup");
  }
}
