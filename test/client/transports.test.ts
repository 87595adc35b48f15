import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import Call from '../../commands/call.ts';
import { connectToSocket, remoteTransport, socketTransport } from '../../src/client/http-transport.ts';
import { readTrust } from '../../src/client/trust.ts';
import type { WireRequest } from '../../src/client/transport.ts';
import { openHome } from '../cli/home.ts';

const request: WireRequest = {
  method: 'POST',
  path: '/x?y=1',
  headers: { authorization: 'Bearer secret' },
  body: '{"a":"ü"}',
};

async function listening<S extends Server | TcpServer>(
  server: S,
  where: string | number = 0,
): Promise<S & AsyncDisposable & { url: URL }> {
  await new Promise<void>((resolve) =>
    server.listen(where as number, typeof where === 'string' ? undefined : '127.0.0.1', resolve),
  );
  const address = server.address() as AddressInfo | string;
  return Object.assign(server, {
    url: new URL(typeof address === 'string' ? 'http://localhost' : `http://127.0.0.1:${address.port}/base`),
    [Symbol.asyncDispose]: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

const echo = () =>
  createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      outgoing
        .writeHead(307, { location: 'http://elsewhere.test/', 'x-two': ['a', 'b'] })
        .end(JSON.stringify({ method, url, headers, body }));
    });
  });

async function bodyOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('the way over the network', () => {
  it('sends what it is given below the base path, and follows no redirect', async () => {
    await using server = await listening(echo());
    const reply = await remoteTransport(server.url, undefined).send(request);
    expect(reply).toMatchObject({ status: 307, headers: { location: 'http://elsewhere.test/', 'x-two': 'a, b' } });
    expect(JSON.parse(await bodyOf(reply.body))).toMatchObject({
      method: 'POST',
      url: '/base/x?y=1',
      body: '{"a":"ü"}',
      headers: { authorization: 'Bearer secret', 'content-length': '10', host: server.url.host },
    });
  });

  it('says what was tried where nothing answers, and what answers wrongly', async () => {
    const { url } = await closed();
    await expect(remoteTransport(url, undefined).send(request)).rejects.toMatchObject({
      kind: 'network',
      message: `Could not reach ${url.href}: the connection was refused: nothing listens there.`,
    });
    await using noise = await listening(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n').resume()));
    await expect(remoteTransport(noise.url, undefined).send(request)).rejects.toMatchObject({ kind: 'network' });
    await using cutting = await listening(createTcpServer((socket) => void socket.destroy()));
    await expect(remoteTransport(cutting.url, undefined).send(request)).rejects.toMatchObject({ kind: 'network' });
    const secure = new URL(noise.url.href.replace('http:', 'https:'));
    await expect(remoteTransport(secure, undefined).send(request)).rejects.toMatchObject({ kind: 'network' });
  });

  it('notices an answer that is cut off', async () => {
    await using server = await listening(
      createTcpServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
      ),
    );
    const reply = await remoteTransport(server.url, undefined).send(request);
    await expect(bodyOf(reply.body)).rejects.toMatchObject({ kind: 'network' });
  });

  it('can be broken off', async () => {
    const broken = new AbortController();
    await using server = await listening(createServer(() => broken.abort()));
    await expect(remoteTransport(server.url, undefined).send(request, broken.signal)).rejects.toMatchObject({
      kind: 'network',
    });
  });
});

async function closed(): Promise<{ url: URL }> {
  await using server = await listening(echo());
  return { url: server.url };
}

describe('the way over the control socket', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-socket-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  it('is there while a server listens', async () => {
    const path = join(folder, 's');
    expect(await connectToSocket(path)).toBeUndefined();
    {
      await using _ = await listening(echo(), path);
      const reply = await socketTransport(path).send(request);
      expect(JSON.parse(await bodyOf(reply.body))).toMatchObject({ url: '/x?y=1', headers: { host: 'localhost' } });
    }
    await writeFile(path, '');
    expect(await connectToSocket(path)).toBeUndefined();
    await expect(socketTransport(path).send(request)).rejects.toMatchObject({ kind: 'network' });
  });

  it('sends the first request over the connection that found the server', async () => {
    const path = join(folder, 's');
    await using server = await listening(echo(), path);
    let connections = 0;
    server.on('connection', () => (connections += 1));
    await using transport = socketTransport(path, await connectToSocket(path));
    for (const expected of [1, 2]) {
      const reply = await transport.send(request);
      expect(JSON.parse(await bodyOf(reply.body))).toMatchObject({ url: '/x?y=1', headers: { host: 'localhost' } });
      expect(connections).toBe(expected);
    }
  });

  it('takes another connection where that one was closed meanwhile', async () => {
    const path = join(folder, 's');
    await using server = await listening(echo(), path);
    const taken = once(server, 'connection') as Promise<[Socket]>;
    const connected = await connectToSocket(path);
    await using transport = socketTransport(path, connected);
    const [accepted] = await taken;
    accepted.destroy();
    if (connected !== undefined) await once(connected, 'close');
    expect((await transport.send(request)).status).toBe(307);
  });

  it('closes a connection that nothing was sent over', async () => {
    const path = join(folder, 's');
    await using server = await listening(echo(), path);
    const taken = once(server, 'connection') as Promise<[Socket]>;
    const transport = socketTransport(path, await connectToSocket(path));
    const [accepted] = await taken;
    const end = once(accepted, 'close');
    await transport[Symbol.asyncDispose]();
    await expect(end).resolves.toBeDefined();
  });
});

describe('a server with a certificate of its own', () => {
  it('is believed by fingerprint or by file, and not otherwise', async () => {
    await using home = await openHome('url', { serveEnv: { CONCLAVE_TLS: 'self-signed' } });
    const url = home.ready!.url;
    expect(url).toMatch(/^https:/);
    const call = async (...ca: string[]) =>
      await home.run(Call, ['account.request-direct-login', '--server', url, ...ca]);

    const unknown = await call();
    expect(unknown).toMatchObject({ code: 8, stdout: '' });
    expect(unknown.stderr).toContain('--ca');
    const fingerprint = home.ready!.fingerprint!.replaceAll(':', '');
    expect(await call('--ca', `sha256:${fingerprint.toLowerCase()}`)).toMatchObject({ code: 0 });
    expect(await call('--ca', `sha256:${fingerprint.match(/../g)!.join(':')}`)).toMatchObject({ code: 0 });
    const other = await call('--ca', `sha256:${'0'.repeat(64)}`);
    expect(other).toMatchObject({ code: 8, stdout: '' });
    expect(other.stderr).toContain('certificate');

    const file = (await readdir(home.dataDir, { recursive: true })).find(
      (name) => /\.(?:pem|crt)$/.test(name) && !/key/.test(name),
    );
    expect(await call('--ca', join(home.dataDir, file!))).toMatchObject({ code: 0 });
    expect(await call('--ca', await home.file('none.pem', 'nothing'))).toMatchObject({ code: 2 });
    expect(await call('--ca', 'sha256:12')).toMatchObject({ code: 2 });
    await expect(readTrust(join(home.folder, 'missing'))).rejects.toMatchObject({ code: 'CA_INVALID' });
  });
});
