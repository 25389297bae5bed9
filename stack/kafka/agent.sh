# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The agent that records the broker's requests (probes/brokeragent), with TAILRACE_BROKER_AGENT=on: tailrace up --request-rows.

# Prints the option that loads it, or nothing.
broker_agent() {
  built="$KAFKA_HOME/../build/brokeragent"
  case "${TAILRACE_BROKER_AGENT:-off}" in
    off) ;;
    on)
      if [ -e "$built/agent/brokeragent.jar" ]; then
        collector="http://127.0.0.1:$COLLECTOR_OTLP_HTTP_PORT"
        echo "-javaagent:$built/agent/brokeragent.jar=broker=$KAFKA_BROKER_ID,collector=$collector,shipping=$built/shipping"
      else
        echo "request stages are not recorded: $built/agent/brokeragent.jar is missing; run make setup" >&2
      fi
      ;;
    *) echo "request stages are not recorded: TAILRACE_BROKER_AGENT=$TAILRACE_BROKER_AGENT is neither on nor off" >&2 ;;
  esac
}
