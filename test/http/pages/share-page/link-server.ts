import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom, toHex } from '../../../../src/crypto/bytes.ts';
import { sealedLength, sealMessage } from '../../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { eciesEncrypt } from '../../../../src/crypto/ecies.ts';
import {
  blockContext,
  blockSize,
  sealManifest,
  sharedKeyContext,
  type Manifest,
} from '../../../../src/crypto/formats/file-content/file-content.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { sharePasswordIn } from '../../../../src/contract/filevault/share-password.ts';
import type { Fetch } from '../../../support/house.ts';
import { slowly, until } from '../../../support/real-time.ts';

/** What a test shares by a link. */
export interface Share {
  readonly content: Uint8Array | LargeContent;
  readonly name?: string;
  readonly type?: string;
  readonly mode?: 'server_proxied' | 'ephemeral_key_pair' | 'recipient_public_key';
  readonly password?: string;
  /** 33 bytes */
  readonly recipientPublicKey?: Uint8Array;
  readonly accesses?: number;
  readonly expiresAt?: string;
  readonly chunkSize?: number;
}

/** A content that is made where it is read. */
export interface LargeContent {
  readonly size: number;
  /** @param place of a block */
  block(place: number, length: number): Uint8Array;
}

/** A link, and what may be done to it. */
export interface Shared {
  /** with the key behind the #, where there is one */
  readonly url: string;
  readonly sealedBytes: number;
  /** how many accesses were counted */
  readonly accesses: number;
  state: 'active' | 'revoked' | 'destroyed';
  /** positions in what is sent after which the connection is cut, each once */
  readonly cuts: number[];
  /** what a cut waits for: a browser that hears of one drops what it has not handed on yet */
  mayCut: () => Promise<unknown>;
  /** positions of bytes that are sent wrong */
  readonly damage: number[];
  /** bytes of content that were sent, over all requests */
  readonly sent: number;
  /** milliseconds to wait before each block */
  slow: number;
}

export interface LinkServer extends AsyncDisposable {
  readonly origin: string;
  /** method, path and query of each request */
  readonly requests: readonly string[];
  /** headers of each request */
  readonly heads: readonly IncomingMessage['headers'][];
  share(share: Share): Promise<Shared>;
}

interface Link extends Shared {
  readonly share: Share;
  readonly token: string;
  readonly info: Record<string, unknown>;
  readonly grants: Set<string>;
  block(place: number): Uint8Array;
  accesses: number;
  sent: number;
  wrongPasswords: number;
}

/**
 * The interface of links over contents in memory, with the functions that the node encrypts with. Everything else, the page above all, comes
 * from a node.
 */
export async function openLinkServer(node: Fetch): Promise<LinkServer> {
  const links = new Map<string, Link>();
  const requests: string[] = [];
  const heads: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    heads.push(request.headers);
    answer(request, response).catch((error: unknown) => {
      response.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const [, token, content] = /^\/filevault\/share\/link\/([^/]+)(\/content)?$/.exec(url.pathname) ?? [];
    if (token === undefined) await fromNode(node, url, request, response);
    else answerLink(links.get(token), content !== undefined, request, response);
  }

  return {
    origin,
    requests,
    heads,
    async share(share) {
      const link = newLink(share, origin);
      links.set(link.token, link);
      return link;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function newLink(share: Share, origin: string): Link {
  const { mode = 'ephemeral_key_pair', content } = share;
  const [id, contentId, fileId, token] = [16, 16, 16, 24].map((size) => toHex(randomBytes(size))) as [
    string,
    string,
    string,
    string,
  ];
  const named = { id: contentId, file_id: fileId };
  const key = systemRandom(32);
  const size = content instanceof Uint8Array ? content.length : content.size;
  const chunkSize = share.chunkSize ?? 8 * 1024 ** 2;
  const shape: Manifest = { size, chunkSize, hashes: Array<string>(Math.ceil(size / chunkSize)).fill('') };
  const salts = shape.hashes.map(() => systemRandom(24));
  const block = (place: number): Uint8Array => {
    const length = blockSize(shape, place);
    const plain =
      content instanceof Uint8Array
        ? content.subarray(place * chunkSize, place * chunkSize + length)
        : content.block(place, length);
    return mode === 'server_proxied'
      ? plain
      : sealMessage(key, blockContext(named, place), salts[place] as Uint8Array, plain);
  };
  const manifest: Manifest = {
    ...shape,
    hashes: shape.hashes.map((_, place) => createHash('sha3-512').update(block(place)).digest('hex')),
  };
  const sealedBytes = shape.hashes.reduce((sum, _, place) => sum + sealedLength(blockSize(shape, place)), 0);
  const ephemeral = generateKeyPair();
  const recipient = mode === 'recipient_public_key' ? share.recipientPublicKey : ephemeral.publicKey;
  const info = {
    id,
    fileId,
    contentId,
    fileName: share.name ?? 'report.pdf',
    mimeType: share.type ?? 'application/pdf',
    sizeBytes: size,
    sealedBytes,
    chunkSize,
    mode,
    contentUrl: `${origin}/filevault/share/link/${token}/content`,
    expiresAt: share.expiresAt ?? '2027-01-31T18:00:00.000Z',
    passwordProtected: share.password !== undefined,
    ...(mode !== 'server_proxied' && {
      [mode === 'recipient_public_key' ? 'recipientPublicKey' : 'ephemeralPublicKey']: toHex(recipient as Uint8Array),
      wrappedKey: toHex(eciesEncrypt(recipient as Uint8Array, key, sharedKeyContext(id, named))),
      manifest: Buffer.from(sealManifest(key, named, manifest, systemRandom(24))).toString('base64'),
    }),
  };
  const fragment = mode === 'ephemeral_key_pair' ? `#${Buffer.from(ephemeral.privateKey).toString('base64url')}` : '';
  return {
    share,
    token,
    info,
    block,
    sealedBytes: mode === 'server_proxied' ? size : sealedBytes,
    url: `${origin}/s/${token}${fragment}`,
    grants: new Set(),
    accesses: 0,
    state: 'active',
    cuts: [],
    mayCut: async () => {},
    damage: [],
    sent: 0,
    slow: 0,
    wrongPasswords: 0,
  };
}

function answerLink(
  link: Link | undefined,
  wantsContent: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const refuse = (status: number, error: string, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ message: 'refused', error }));
  };
  if (link === undefined) return refuse(404, 'LINK_NOT_FOUND');
  const { share } = link;
  if (link.state === 'revoked') return refuse(410, 'LINK_REVOKED');
  if (link.state === 'destroyed') return refuse(410, 'FILE_DESTROYED');
  const grant = request.headers['x-share-grant'];
  const isGranted = typeof grant === 'string' && link.grants.has(grant);
  if (!isGranted && share.accesses !== undefined && link.accesses >= share.accesses)
    return refuse(404, 'LINK_NOT_FOUND');
  if (share.password !== undefined) {
    const given = request.headers['x-share-password'];
    if (given === undefined) return refuse(401, 'LINK_PASSWORD_REQUIRED');
    if (link.wrongPasswords >= 3) return refuse(429, 'RATE_LIMITED', { 'retry-after': '40' });
    if (sharePasswordIn(String(given)) !== share.password) {
      link.wrongPasswords += 1;
      return refuse(401, 'LINK_PASSWORD_WRONG');
    }
  }
  if (!wantsContent) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(link.info));
    return undefined;
  }
  const given = isGranted ? grant : toHex(randomBytes(16));
  link.grants.add(given);
  if (!isGranted) link.accesses += 1;
  void sendContent(link, given, request, response).catch(() => response.destroy());
  return undefined;
}

async function sendContent(
  link: Link,
  grant: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const total = link.sealedBytes;
  const etag = `"${String(link.info['contentId'])}"`;
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const start = from !== undefined && request.headers['if-range'] === etag ? Number(from) : 0;
  response.writeHead(start > 0 ? 206 : 200, {
    etag,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-length': total - start,
    'x-share-grant': grant,
    ...(start > 0 && { 'content-range': `bytes ${start}-${total - 1}/${total}` }),
  });
  let at = 0;
  for (let place = 0; at < total; place += 1) {
    if (link.slow > 0) await slowly(link.slow);
    const length = sizeOf(link, place);
    if (at + length > start) {
      const block = Uint8Array.from(link.block(place));
      for (const wrong of link.damage)
        if (wrong >= at && wrong < at + length) block[wrong - at] = (block[wrong - at] ?? 0) ^ 1;
      for (let piece = Math.max(0, start - at); piece < length; piece += 65_536) {
        const bytes = block.subarray(piece, piece + 65_536);
        const cut = link.cuts.findIndex((position) => position < at + piece + bytes.length);
        if (cut >= 0) {
          link.cuts.splice(cut, 1);
          // What was sent before arrives.
          await until(() => response.writableLength === 0 || response.destroyed);
          await link.mayCut();
          response.destroy();
          return;
        }
        link.sent += bytes.length;
        if (!response.write(bytes)) await drained(response);
        if (response.destroyed) return;
      }
    }
    at += length;
  }
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const comes = async (event: string): Promise<void> => void (await once(response, event, { signal: over.signal }));
  await Promise.race([comes('drain'), comes('close')].map((one) => one.catch(() => {})));
  over.abort();
}

function sizeOf(link: Link, place: number): number {
  const { sizeBytes, chunkSize } = link.info as { sizeBytes: number; chunkSize: number };
  const plain = Math.min(chunkSize, sizeBytes - place * chunkSize);
  return link.info['mode'] === 'server_proxied' ? plain : sealedLength(plain);
}

async function fromNode(
  node: Fetch,
  url: URL,
  { method = 'GET', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  const answer = await node(new Request(url, { method, headers: own }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
