// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Worker 0's side: it keeps what all workers agree on, and serves it. */
final class Leader implements Agreement {
  private final AgreementState state;
  private final AgreementServer server;

  private Leader(AgreementState state, AgreementServer server) {
    this.state = state;
    this.server = server;
  }

  static Leader start(AgreementEndpoint endpoint, int workers) throws IOException {
    URI listen = endpoint.listen();
    InetSocketAddress address = new InetSocketAddress(listen.getHost(), listen.getPort());
    if (address.isUnresolved()) {
      throw new IOException("the host is unknown");
    }
    AgreementState state = new AgreementState(workers);
    return new Leader(
        state, AgreementServer.start(address, endpoint.tls(), endpoint.token(), state));
  }

  int port() {
    return server.port();
  }

  @Override
  public void announce(Decision decision) {
    state.announce(decision);
  }

  @Override
  public Optional<Decision> decision() {
    return state.decision();
  }

  @Override
  public void report(String group, Map<Integer, Long> positions) {
    state.keep(group, positions);
  }

  @Override
  public Map<Integer, Long> positions(String group) {
    return state.positions(group);
  }

  @Override
  public boolean othersFinished() {
    return state.othersFinished();
  }

  @Override
  public boolean othersActive() {
    return state.othersActive();
  }

  @Override
  public void close() {
    server.close();
  }
}
