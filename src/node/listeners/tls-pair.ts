import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../../config/config.ts';
import { Problem } from '../../base/problem.ts';

/** What a listener shows to its clients. It is never logged: the key is in it, without its passphrase. */
export interface TlsPair {
  /** PEM: the certificate of the server, and after it the chain up to an authority */
  readonly cert: string;
  /** PEM (PKCS #8) */
  readonly key: string;
}

/** RFC 7468 allows any text between them, and programs that make certificates write some. */
const certificateBlock =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** RFC 7468, 11, and RFC 1421, 4.6.1.1, which `openssl rsa -aes256 -traditional` writes. */
const encryptedKey = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** What clients have for it: RFC 8446, 4.2.3, with the curves that TLS libraries offer. */
const known: ReadonlySet<string> = new Set([
  'rsa',
  'rsa-pss',
  'ed25519',
  'ed448',
  'prime256v1',
  'secp384r1',
  'secp521r1',
]);

/** A certificate of a server has no more above it; what is longer is a bundle of authorities. */
const MOST_IN_CHAIN = 20;

/**
 * Reads a certificate with its key: RSA, EC or Ed25519, with a chain or without one, for whatever names.
 *
 * @returns the pair, and the certificate of the server itself
 * @throws Problem invalid CERTIFICATE_INVALID, which names the file and the reason
 */
export async function readTlsPair(files: TlsFiles): Promise<{ pair: TlsPair; certificate: X509Certificate }> {
  const { certFile, keyFile } = files;
  const chain = chainOf(await textOf(certFile), certFile);
  const [certificate] = chain;
  const key = await keyOf(files);
  if (!certificate.checkPrivateKey(key)) {
    const place = chain.findIndex((one) => one.checkPrivateKey(key));
    throw place < 0
      ? invalid(keyFile, `is not the key of the certificate in ${certFile}`)
      : invalid(
          certFile,
          'has other certificates before the one of the key; the certificate of the server comes first',
        );
  }
  const kind = kindOf(key);
  if (!known.has(kind))
    throw invalid(keyFile, `is a key that TLS can't use (${kind}); use RSA, Ed25519, or EC with P-256, P-384 or P-521`);
  const pair = { cert: chain.join(''), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw invalid(certFile, `can't be used for TLS (${reasonOf(error)})`, error);
  }
  return { pair, certificate };
}

function chainOf(text: string, certFile: string): [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(certificateBlock) ?? [];
  if (blocks.length > MOST_IN_CHAIN)
    throw invalid(certFile, `has ${blocks.length} certificates; a chain has at most ${MOST_IN_CHAIN}`);
  const [first, ...others] = blocks.map((block, at) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      const which = at === 0 ? 'is not a certificate in PEM' : `has a certificate that can't be read, number ${at + 1}`;
      throw invalid(certFile, which, error);
    }
  });
  if (first === undefined) throw invalid(certFile, 'is not a certificate in PEM');
  return [first, ...others];
}

async function keyOf(files: TlsFiles): Promise<KeyObject> {
  const { keyFile, keyPassphraseFile } = files;
  const text = await textOf(keyFile);
  const passphrase = encryptedKey.test(text) ? await passphraseOf(files) : undefined;
  try {
    return createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // Without its cause: what a library says of a key belongs into no log.
    throw invalid(
      keyFile,
      passphrase === undefined
        ? 'is not a private key in PEM'
        : `is not opened by the passphrase in ${keyPassphraseFile}`,
    );
  }
}

async function passphraseOf({ keyFile, keyPassphraseFile }: TlsFiles): Promise<string> {
  if (keyPassphraseFile === undefined)
    throw invalid(keyFile, 'is encrypted; server.tls_key_passphrase_file names the file of its passphrase');
  const [passphrase = ''] = (await textOf(keyPassphraseFile)).split(/\r?\n/, 1);
  return passphrase;
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? 'unknown';
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid(file, code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})`);
  }
}

/** OpenSSL's own words for what is wrong with a certificate, such as `ee key too small`. */
function reasonOf(error: unknown): string {
  const { reason, message } = error as Error & { reason?: string };
  return reason ?? message;
}

function invalid(file: string, what: string, cause?: unknown): Problem {
  return new Problem('invalid', 'CERTIFICATE_INVALID', `${file}: ${what}.`, cause === undefined ? {} : { cause });
}
