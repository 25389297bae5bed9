// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Where the workers of a run agree, and how they know each other.
 *
 * @param url where the other workers reach the leader: http(s)://HOST:PORT
 * @param listen where the leader listens, as an address of the same form
 * @param token secret of the run, which every request presents
 * @param tls this worker's certificate and the authorities of the others'; present where the
 *     address begins with https
 */
public record AgreementEndpoint(URI url, URI listen, String token, Optional<SSLContext> tls) {

  /** Starts this worker's side: worker 0 is the leader and listens, which may fail. */
  public Agreement start(int worker, int workers) throws IOException {
    return worker == 0 ? new Leader(this, workers) : Follower.start(this, worker);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "AgreementEndpoint[" + url + "]";
  }
}
