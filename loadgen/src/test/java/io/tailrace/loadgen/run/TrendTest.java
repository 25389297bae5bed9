// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

class TrendTest {
  @Test
  void theTrendIsTheOneOfBothLanguages() throws IOException {
    Path file = Path.of("..", "testdata", "trends.json");
    JsonNode vectors = new ObjectMapper().readTree(file.toFile());
    assertThat(vectors).isNotEmpty();
    for (JsonNode vector : vectors) {
      Trend trend =
          Trend.of(
              StreamSupport.stream(vector.path("values").spliterator(), false)
                  .mapToDouble(JsonNode::asDouble)
                  .toArray());
      String name = vector.path("name").asText();
      assertThat(trend.z()).as(name).isEqualTo(vector.path("z").asDouble(), within(1e-6));
      assertThat(trend.first()).as(name).isEqualTo(vector.path("first").asDouble());
      assertThat(trend.second()).as(name).isEqualTo(vector.path("second").asDouble());
      assertThat(trend.moves(0.1))
          .as(name)
          .isEqualTo(vector.path("moves_by_10_percent").asBoolean());
    }
  }
}
