#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# issue.sh DIR HOST ADDRESS DAYS RENEW_DAYS [rotate]: a certificate for HOST under DIR, by the authority in DIR,
# which is made when there is none. Prints "issued" when it made one, nothing when the one there is still good.
set -euo pipefail
umask 077

dir=$1 host=$2 address=$3 days=$4 renew=$5 rotate=${6:-}
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
if [[ ! -s $dir/ca.pem ]]; then
  openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$dir/ca.key"
  openssl req -x509 -new -key "$dir/ca.key" -days 3650 -sha256 -subj "/O=Tailrace/CN=Laboratory $(openssl rand -hex 4)" \
    -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign -out "$dir/ca.pem"
fi
good() {
  openssl x509 -in "$dir/$host.crt" -noout -checkend $((renew * 86400)) >/dev/null 2>&1 &&
    openssl x509 -in "$dir/$host.crt" -noout -checkip "$address" | grep -q 'does match' &&
    openssl verify -CAfile "$dir/ca.pem" "$dir/$host.crt" >/dev/null 2>&1 &&
    [[ $(openssl x509 -in "$dir/$host.crt" -noout -pubkey) == "$(openssl pkey -in "$dir/$host.key" -pubout 2>/dev/null)" ]] &&
    [[ $(cat "$dir/$host.key" "$dir/$host.crt") == "$(cat "$dir/$host.pem" 2>/dev/null)" ]]
}
if [[ $rotate != rotate ]] && good; then exit 0; fi
openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$dir/$host.key"
openssl req -new -key "$dir/$host.key" -subj "/O=Tailrace/CN=$host" |
  openssl x509 -req -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -days "$days" -sha256 -set_serial "0x$(openssl rand -hex 16)" \
    -extfile <(printf 'subjectAltName=DNS:%s,DNS:localhost,IP:%s,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\n' \
      "$host" "$address") -out "$dir/$host.crt" 2>/dev/null
cat "$dir/$host.key" "$dir/$host.crt" >"$dir/$host.pem"
echo issued
