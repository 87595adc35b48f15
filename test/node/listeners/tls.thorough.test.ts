import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { startNode } from '../../support/running-node.ts';
import { inStage } from '../../support/stage.ts';
import { putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { elapses } from '../../support/real-time.ts';

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
}

async function get(url: string, ca: string): Promise<Seen> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { ca, agent: false }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume();
      resolve({ status: response.statusCode!, headers: response.headers, fingerprint: fingerprint256 });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const selfSigned = { CONCLAVE_TLS: 'self-signed' };

/** Making a key of RSA takes a second, and most tests only need a certificate. */
let given: AsyncDisposable & { certificate: string; key: string; certFile: string; keyFile: string };
const withGiven = () => ({ CONCLAVE_TLS_CERT: given.certFile, CONCLAVE_TLS_KEY: given.keyFile });

beforeAll(async () => {
  const folder = await temporaryFolder();
  const [certFile, keyFile] = [join(folder.path, 'c.pem'), join(folder.path, 'k.pem')];
  const { certificate, key } = await selfSignedCertificate(['localhost', '127.0.0.1'], Date.now());
  await writeFile(certFile, `issued to somebody\n${certificate}`);
  await writeFile(keyFile, key);
  given = { certificate, key, certFile, keyFile, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
});
afterAll(async () => await given[Symbol.asyncDispose]());

describe('a self-signed certificate', () => {
  it.each(inStage([0x80], [0x80], [0x00, 0x7f, 0x80, 0xff]))(
    'can be read whatever number it gets (bytes of %i)',
    async (byte) => {
      const random = (size: number) => Buffer.alloc(size, byte);
      const { certificate } = await selfSignedCertificate(['localhost'], Date.now(), random);
      expect(new X509Certificate(certificate).serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    },
  );

  it('is made once, is kept for the owner alone, and can be trusted as it is', async () => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    const first = await startNode({
      dataDir: folder.path,
      env: { ...selfSigned, CONCLAVE_TLS_NAMES: 'home.example,10.1.2.3' },
    });
    const certificate = await readFile(join(folder.path, 'tls', 'certificate.pem'), 'utf8');
    expect(first.ready.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const seen = await get(`${first.ready.url}/health`, certificate);
    expect(seen).toMatchObject({ status: 200, fingerprint: first.ready.fingerprint });
    expect(seen.headers['strict-transport-security']).toBeUndefined();
    await expect(get(`${first.ready.url}/health`, '')).rejects.toThrow(/self.signed/);

    const parsed = new X509Certificate(certificate);
    for (const name of ['localhost', 'home.example']) expect(parsed.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1', '10.1.2.3']) expect(parsed.checkIP(address)).toBeDefined();
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(Date.parse(parsed.validTo)).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
    for (const [name, mode] of [
      ['', 0o700],
      ['certificate.pem', 0o600],
      ['key.pem', 0o600],
    ] as const) {
      expect((await stat(join(folder.path, 'tls', name))).mode & 0o777).toBe(mode);
    }
    await first[Symbol.asyncDispose]();

    const second = await startNode({ dataDir: folder.path, env: selfSigned });
    expect(second.ready.fingerprint).toBe(first.ready.fingerprint);
    await second[Symbol.asyncDispose]();
    await rm(join(folder.path, 'tls'), { recursive: true });
    const third = await startNode({ dataDir: folder.path, env: selfSigned });
    expect(third.ready.fingerprint).not.toBe(first.ready.fingerprint);
    await third[Symbol.asyncDispose]();
  });
});

describe('a client that never begins to talk TLS', () => {
  it('is cut like one that sends no headers', async () => {
    await using node = await startNode({ env: { ...withGiven(), CONCLAVE_SERVER_HEADERS_TIMEOUT: elapses('400ms') } });
    using silent = await connectRaw(node.ready.port);
    using halfway = await connectRaw(node.ready.port);
    await halfway.write(Buffer.from('16030100', 'hex'));
    await Promise.all([silent.closed, halfway.closed]);
    expect([silent.received, halfway.received]).toEqual(['', '']);
  });

  it('does not keep the server from stopping', async () => {
    await using node = await startNode({ env: withGiven() });
    using silent = await connectRaw(node.ready.port);
    expect((await get(`${node.ready.url}/health`, given.certificate)).status).toBe(200);
    await node.stop();
    await silent.closed;
  });

  it('and one that sends no headers after the handshake is cut as well', async () => {
    await using node = await startNode({ env: { ...withGiven(), CONCLAVE_SERVER_HEADERS_TIMEOUT: elapses('400ms') } });
    const socket = connect({ port: node.ready.port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    let received = '';
    socket.on('data', (chunk: Buffer) => void (received += chunk.toString('latin1')));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });
});

describe('a given certificate', () => {
  it('is served, with a promise to keep to TLS', async () => {
    await using node = await startNode({ env: withGiven() });
    const seen = await get(`${node.ready.url}/health`, given.certificate);
    expect(seen).toMatchObject({ status: 200, fingerprint: node.ready.fingerprint });
    expect(seen.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('is refused when it isn’t one, or has another key', async () => {
    await using folder = await temporaryFolder();
    const [certFile, keyFile] = [join(folder.path, 'c.pem'), join(folder.path, 'k.pem')];
    const start = () => startNode({ env: { CONCLAVE_TLS_CERT: certFile, CONCLAVE_TLS_KEY: keyFile } });
    await expect(start()).rejects.toMatchObject({
      code: 'CERTIFICATE_INVALID',
      message: expect.stringContaining(`${certFile}: there is no such file`),
    });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    await writeFile(certFile, given.certificate);
    await writeFile(keyFile, other);
    await expect(start()).rejects.toThrow(`${keyFile}: is not the key of the certificate in ${certFile}`);
    await writeFile(keyFile, 'nonsense');
    await expect(start()).rejects.toThrow(`${keyFile}: is not a private key in PEM`);
    await writeFile(certFile, 'nonsense');
    await expect(start()).rejects.toThrow(`${certFile}: is not a certificate in PEM`);
  });
});
