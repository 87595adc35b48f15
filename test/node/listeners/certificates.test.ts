import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { readTlsPair } from '../../../src/node/listeners/tls-pair.ts';
import { startNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';

const folder = join(import.meta.dirname, 'certificates');
const at = (name: string) => join(folder, name);
const passphrase = at('passphrase.txt');
const [root, intermediate] = [
  readFileSync(at('root.pem'), 'latin1'),
  readFileSync(at('chain.pem'), 'latin1').split(/(?<=-----END CERTIFICATE-----\n)/, 2)[1]!,
];

interface Kind {
  /** what somebody has who has it */
  readonly what: string;
  readonly cert: string;
  readonly key: string;
  /** a name under which clients reach it */
  readonly name: string;
  readonly passphrase?: string;
  /** whether it brings the certificates between it and the authority that clients know */
  readonly chain?: boolean;
}

const kinds: readonly Kind[] = [
  {
    what: 'one domain and the chain (certbot)',
    cert: 'chain.pem',
    key: 'ec-key.pem',
    name: 'ec.example.org',
    chain: true,
  },
  {
    what: 'one file with all of it (HAProxy)',
    cert: 'everything.pem',
    key: 'everything.pem',
    name: 'ec.example.org',
    chain: true,
  },
  { what: 'a description before it (openssl -text)', cert: 'text.pem', key: 'ec-key.pem', name: 'ec.example.org' },
  {
    what: 'parameters before the key (openssl ecparam)',
    cert: 'ec-parameters.pem',
    key: 'ec-parameters-key.pem',
    name: 'cloud.example.org',
  },
  { what: 'several domains, RSA', cert: 'several.pem', key: 'several-key.pem', name: 'mail.example.net' },
  { what: 'a wildcard', cert: 'wildcard.pem', key: 'wildcard-key.pem', name: 'anything.example.org' },
  { what: 'addresses alone, Ed25519', cert: 'addresses.pem', key: 'addresses-key.pem', name: '192.0.2.7' },
  {
    what: 'an encrypted key',
    cert: 'encrypted.pem',
    key: 'encrypted-key.pem',
    name: 'encrypted.example.org',
    passphrase,
  },
  {
    what: 'an encrypted key of OpenSSL 1',
    cert: 'encrypted-traditional.pem',
    key: 'encrypted-traditional-key.pem',
    name: 'old.example.org',
    passphrase,
  },
];

/** The settings of a node that has it. */
function settingsOf({
  cert,
  key,
  passphrase: file,
}: Pick<Kind, 'cert' | 'key' | 'passphrase'>): Record<string, string> {
  return {
    CONCLAVE_TLS_CERT: at(cert),
    CONCLAVE_TLS_KEY: at(key),
    ...(file !== undefined && { CONCLAVE_SERVER_TLS_KEY_PASSPHRASE_FILE: file }),
  };
}

/** Shakes hands as a client that knows the authorities and wants this name. @returns what the server showed */
async function shakeHands(port: number, { name, chain }: Kind, over?: Socket): Promise<DetailedPeerCertificate> {
  const ca = chain === true ? [root] : [root, intermediate];
  const isAddress = /^[\d.]+$/.test(name);
  const socket = connect({
    ...(over === undefined ? { port, host: '127.0.0.1' } : { socket: over }),
    ca,
    // Names of servers are no addresses (RFC 6066, 3).
    ...(!isAddress && { servername: name }),
    ...(isAddress && { checkServerIdentity: () => undefined }),
  });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const shown = socket.getPeerCertificate(true);
  socket.destroy();
  return shown;
}

/** Asks an SMTP server for TLS. */
async function startTls(port: number): Promise<Socket> {
  const socket = connectPlain({ port, host: '127.0.0.1' });
  let received = '';
  const until = async (wanted: RegExp) =>
    await new Promise<void>((resolve) => {
      const look = (chunk: Buffer): void => {
        received += chunk.toString('latin1');
        if (!wanted.test(received)) return;
        socket.off('data', look);
        resolve();
      };
      socket.on('data', look);
    });
  await until(/^220 /m);
  socket.write('EHLO test\r\n');
  await until(/^250 /m);
  socket.write('STARTTLS\r\n');
  await until(/^220 .*\r\n(?:.*\r\n)*220 /m);
  return socket;
}

describe.each(kinds)('a certificate with $what', (kind) => {
  const wanted = new X509Certificate(readFileSync(at(kind.cert))).fingerprint256;

  it('is served over HTTPS', async () => {
    await using node = await startNode({ env: settingsOf(kind) });
    const shown = await shakeHands(node.ready.port, kind);
    expect([shown.fingerprint256, node.ready.fingerprint]).toEqual([wanted, wanted]);
  });

  it.each(['starttls', 'implicit'] as const)('is served over SMTP (%s)', async (tls) => {
    const smtp = { CONCLAVE_SMTP: 'on', CONCLAVE_SMTP_PORT: '0', CONCLAVE_SMTP_TLS: tls };
    await using node = await startNode({ env: { ...settingsOf(kind), ...smtp } });
    const { port } = node.ready.smtp!;
    const shown = await shakeHands(port, kind, tls === 'starttls' ? await startTls(port) : undefined);
    expect(shown.fingerprint256).toBe(wanted);
  });
});

describe('a certificate', () => {
  it('without a name is served, to clients that look at the common name alone', async () => {
    await using node = await startNode({ env: settingsOf({ cert: 'unnamed.pem', key: 'unnamed-key.pem' }) });
    const socket = connect({ port: node.ready.port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    expect(socket.getPeerCertificate().subject.CN).toBe('unnamed.example.org');
    socket.destroy();
  });

  it('that has ended, or has not begun, is served with a warning that names its file', async () => {
    await using own = await temporaryFolder();
    for (const [when, message] of [
      [Date.now() - 11 * 365.25 * 86_400_000, 'the certificate has expired'],
      [Date.now() + 86_400_000, 'the certificate is not valid yet'],
    ] as const) {
      const { certificate, key } = await selfSignedCertificate(['ended.example.org'], when);
      const [certFile, keyFile] = [join(own.path, 'c.pem'), join(own.path, 'k.pem')];
      await writeFile(certFile, certificate);
      await writeFile(keyFile, key);
      await using node = await startNode({ env: { CONCLAVE_TLS_CERT: certFile, CONCLAVE_TLS_KEY: keyFile } });
      expect(node.ready.fingerprint).toBe(new X509Certificate(certificate).fingerprint256);
      expect(node.log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message, file: certFile }));
    }
  });
});

describe('what can’t be served', () => {
  const refused: readonly (readonly [string, Omit<Kind, 'what' | 'name'>, string])[] = [
    [
      'an encrypted key without a passphrase',
      { cert: 'encrypted.pem', key: 'encrypted-key.pem' },
      `${at('encrypted-key.pem')}: is encrypted; server.tls_key_passphrase_file names the file of its passphrase.`,
    ],
    [
      'an old encrypted key without one',
      { cert: 'encrypted-traditional.pem', key: 'encrypted-traditional-key.pem' },
      `${at('encrypted-traditional-key.pem')}: is encrypted; server.tls_key_passphrase_file names the file of its passphrase.`,
    ],
    [
      'an encrypted key with another passphrase',
      { cert: 'encrypted.pem', key: 'encrypted-key.pem', passphrase: at('make.sh') },
      `${at('encrypted-key.pem')}: is not opened by the passphrase in ${at('make.sh')}.`,
    ],
    [
      'a passphrase that is not there',
      { cert: 'encrypted.pem', key: 'encrypted-key.pem', passphrase: at('nowhere') },
      `${at('nowhere')}: there is no such file.`,
    ],
    [
      'the key of another one',
      { cert: 'ec.pem', key: 'wildcard-key.pem' },
      `${at('wildcard-key.pem')}: is not the key of the certificate in ${at('ec.pem')}.`,
    ],
    [
      'a chain that begins with the authority',
      { cert: 'chain-reversed.pem', key: 'ec-key.pem' },
      `${at('chain-reversed.pem')}: has other certificates before the one of the key; the certificate of the server comes first.`,
    ],
    [
      'a certificate that is not in PEM',
      { cert: 'ec.der', key: 'ec-key.pem' },
      `${at('ec.der')}: is not a certificate in PEM.`,
    ],
    [
      'a key where the certificate should be',
      { cert: 'ec-key.pem', key: 'ec-key.pem' },
      `${at('ec-key.pem')}: is not a certificate in PEM.`,
    ],
    [
      'a certificate where the key should be',
      { cert: 'ec.pem', key: 'ec.pem' },
      `${at('ec.pem')}: is not a private key in PEM.`,
    ],
    [
      'a curve that no client of TLS has',
      { cert: 'bitcoin.pem', key: 'bitcoin-key.pem' },
      `${at('bitcoin-key.pem')}: is a key that TLS can't use (secp256k1); use RSA, Ed25519, or EC with P-256, P-384 or P-521.`,
    ],
    [
      'a key that is too small',
      { cert: 'small.pem', key: 'small-key.pem' },
      `${at('small.pem')}: can't be used for TLS (ee key too small).`,
    ],
  ];

  it.each(refused)('is refused with its reason: %s', async (_, { cert, key, passphrase: file }, message) => {
    const files = { certFile: at(cert), keyFile: at(key), keyPassphraseFile: file };
    const problem: unknown = await readTlsPair(files).catch((error: unknown) => error);
    expect(problem).toMatchObject({ kind: 'invalid', code: 'CERTIFICATE_INVALID', message });
    // Whatever is said of it: neither bytes of the key nor the passphrase.
    const said = `${JSON.stringify(problem)} ${String((problem as Error).stack)} ${String((problem as Error).cause)}`;
    const secrets = (await readFile(at(key), 'latin1')).split('\n').filter((line) => /^[\w+/=]{20,}$/.test(line));
    for (const secret of key === cert ? [] : [...secrets, 'open, sesame']) expect(said).not.toContain(secret);
  });

  it('keeps the server from starting', async () => {
    await using own = await temporaryFolder();
    const settings = settingsOf({ cert: 'encrypted.pem', key: 'encrypted-key.pem' });
    await expect(startNode({ dataDir: own.path, env: settings })).rejects.toMatchObject({
      code: 'CERTIFICATE_INVALID',
    });
    await rm(own.path, { recursive: true });
  });

  it('is a certificate in the middle of a chain that nobody can read', async () => {
    await using own = await temporaryFolder();
    const broken = join(own.path, 'broken.pem');
    const [leaf] = (await readFile(at('chain.pem'), 'latin1')).split(/(?<=-----END CERTIFICATE-----\n)/);
    await writeFile(broken, `${leaf}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`);
    const files = { certFile: broken, keyFile: at('ec-key.pem'), keyPassphraseFile: undefined };
    await expect(readTlsPair(files)).rejects.toThrow(`${broken}: has a certificate that can't be read, number 2.`);
  });
});
