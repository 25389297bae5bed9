// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which package may use which. Consider the design carefully before changing this file. */
@AnalyzeClasses(
    packages = ArchitectureTest.ROOT,
    importOptions = ArchitectureTest.ProductionClasses.class)
class ArchitectureTest {
  /** ArchUnit's own option knows only Maven's default build folder. */
  static final class ProductionClasses implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }

  static final String ROOT = "io.tailrace.loadgen";

  private static final Pattern SQL_TEXT =
      Pattern.compile(
          "\"[^\"]*\\b(INSERT INTO|SELECT .* FROM|(CREATE|ALTER|DROP) TABLE|DELETE FROM)\\b");

  @ArchTest
  static final ArchRule PACKAGES_USE_ONLY_THOSE_BEFORE_THEM =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("workload")
          .definedBy(ROOT + ".workload..")
          .layer("plan")
          .definedBy(ROOT + ".plan..")
          .layer("pace")
          .definedBy(ROOT + ".pace..")
          .layer("payload")
          .definedBy(ROOT + ".payload..")
          .layer("record")
          .definedBy(ROOT + ".record..")
          .layer("block")
          .definedBy(ROOT + ".block..")
          .layer("spool")
          .definedBy(ROOT + ".spool..")
          .layer("ship")
          .definedBy(ROOT + ".ship..")
          .layer("kafka")
          .definedBy(ROOT + ".kafka..")
          .layer("agreement")
          .definedBy(ROOT + ".agreement..")
          .layer("run")
          .definedBy(ROOT + ".run..")
          .layer("cli")
          .definedBy(ROOT + ".cli..")
          .whereLayer("workload")
          .mayNotAccessAnyLayer()
          .whereLayer("plan")
          .mayOnlyAccessLayers("workload")
          .whereLayer("pace")
          .mayNotAccessAnyLayer()
          .whereLayer("payload")
          .mayNotAccessAnyLayer()
          .whereLayer("record")
          .mayOnlyAccessLayers("pace")
          .whereLayer("block")
          .mayOnlyAccessLayers("record")
          .whereLayer("spool")
          .mayOnlyAccessLayers("block", "record")
          .whereLayer("ship")
          .mayOnlyAccessLayers("spool", "block", "record")
          .whereLayer("kafka")
          .mayOnlyAccessLayers("workload", "plan", "pace", "payload", "record")
          .whereLayer("agreement")
          .mayNotAccessAnyLayer()
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule ONLY_KAFKA_USES_KAFKA =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".kafka..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule ONLY_SHIP_USES_OPENTELEMETRY =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".ship..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.opentelemetry..");

  @ArchTest
  static final ArchRule NO_PACKAGE_USES_JDBC =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("java.sql..", "javax.sql..");

  @Test
  void noSourceHoldsSqlText() throws IOException {
    List<String> sources;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      sources =
          files.filter(f -> f.toString().endsWith(".java")).map(ArchitectureTest::read).toList();
    }
    assertThat(sources).hasSizeGreaterThan(20);
    assertThat(sources).noneMatch(source -> SQL_TEXT.matcher(source).find());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
