#!/bin/sh
# Makes the certificates in this folder again, with OpenSSL 3 as certbot, private authorities and administrators use it:
#   sh test/node/listeners/certificates/make.sh
# They are for tests only, and valid for a hundred years. The passphrase of the encrypted keys is in passphrase.txt.
set -eu
cd "$(dirname "$0")"
rm -f ./*.pem passphrase.txt
printf 'open, sesame\n' >passphrase.txt
days=36500

authority() { # name, options of the one above it
  name=$1
  shift
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -keyout "$name.key" -out "$name.crt" -days $days \
    -subj "/O=Example Authority/CN=$name" -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' "$@"
}
authority root
authority intermediate -CA root.crt -CAkey root.key

leaf() { # name, names of the certificate (none: only a common name), how to make the key
  name=$1 names=$2 command=$3
  shift 3
  openssl "$command" -out "$name-key.pem" "$@"
  printf 'basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\n' >extensions.txt
  [ -z "$names" ] || printf 'subjectAltName=%s\n' "$names" >>extensions.txt
  openssl req -new -key "$name-key.pem" -passin file:passphrase.txt -subj "/CN=$name.example.org" -out request.txt
  openssl x509 -req -in request.txt -CA intermediate.crt -CAkey intermediate.key -days $days -extfile extensions.txt -out "$name.pem"
  rm request.txt extensions.txt
}
leaf ec DNS:ec.example.org genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
leaf ec-parameters DNS:cloud.example.org ecparam -genkey -name secp384r1
leaf several DNS:example.org,DNS:www.example.org,DNS:mail.example.net genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048
leaf wildcard 'DNS:*.example.org,DNS:example.org' genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384
leaf addresses IP:192.0.2.7,IP:2001:db8::7 genpkey -algorithm ED25519
leaf unnamed '' genrsa -traditional 2048
leaf encrypted DNS:encrypted.example.org genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass file:passphrase.txt
leaf encrypted-traditional DNS:old.example.org genrsa -traditional -aes256 -passout file:passphrase.txt 2048
leaf bitcoin DNS:bitcoin.example.org genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1
leaf small DNS:small.example.org genrsa -traditional 512

# As certbot's fullchain.pem: the certificate of the server, then the one above it.
cat ec.pem intermediate.crt >chain.pem
cat intermediate.crt ec.pem >chain-reversed.pem
# As HAProxy wants it: one file with all of it.
cat ec.pem intermediate.crt ec-key.pem >everything.pem
# As `openssl x509 -text` writes it.
openssl x509 -in ec.pem -text -out text.pem
openssl x509 -in ec.pem -outform der -out ec.der
cat root.crt >root.pem
rm ./*.crt ./*.key
