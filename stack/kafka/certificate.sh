#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by start.sh: makes, once per state folder, the key and the certificate of the brokers' listeners with TLS. The
# key stays in a store of its owner's alone; broker.pem is what clients trust.

own_certificate() (
  keytool="${JAVA_HOME:+$JAVA_HOME/bin/}keytool"
  folder="$TAILRACE_STATE/secrets/kafka-tls"
  # The certificate is written last, so what was interrupted is simply made again.
  [ ! -s "$folder/broker.pem" ] || return 0
  umask 077
  mkdir -p "$folder"
  # Of brokers that start together, one makes it.
  exec 9>"$folder.lock"
  flock 9
  [ ! -s "$folder/broker.pem" ] || return 0
  rm -f "$folder/broker.p12"
  head -c 24 /dev/urandom | base64 >"$folder/password"
  "$keytool" -genkeypair -alias broker -keyalg EC -groupname secp256r1 -validity 3650 -dname CN=localhost \
    -ext SAN=dns:localhost,ip:127.0.0.1 -ext EKU=serverAuth \
    -storetype PKCS12 -keystore "$folder/broker.p12" -storepass:file "$folder/password"
  "$keytool" -exportcert -rfc -alias broker -keystore "$folder/broker.p12" -storepass:file "$folder/password" \
    -file "$folder/broker.new"
  mv "$folder/broker.new" "$folder/broker.pem"
)
