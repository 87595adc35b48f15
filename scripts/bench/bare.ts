// The least that can answer, in a process of its own, next to which our server is measured. Says where it listens.
//   bare.ts body         an h3 handler on listhen that answers everything with the bytes of standard input, as JSON
//   bare.ts file FILE    a node:http server that pipes a file
//   bare.ts sockets      a ws server that sends prebuilt frames to all its sockets: for each line of standard input, its number of them with its text
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { H3 } from 'h3';
// @ts-expect-error -- the package has no types of its own
import { WebSocketServer as UntypedServer } from 'ws';
import { listenBare } from './listen-bare.ts';

const [what, file = ''] = process.argv.slice(2);
const port = what === 'file' ? await serveFile() : what === 'sockets' ? await serveSockets() : await serveBody();
process.stdout.write(`http://127.0.0.1:${port}\n`);

async function serveBody(): Promise<number> {
  const body = await buffer(process.stdin);
  const app = new H3();
  app.all('/**', () => new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8' } }));
  return await listenBare(app);
}

async function serveFile(): Promise<number> {
  const { size } = await stat(file);
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
    createReadStream(file).pipe(response);
  });
  return await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

interface WebSocketServer {
  on(event: 'connection', listener: (socket: unknown, request: { readonly socket: Socket }) => void): void;
  once(event: 'listening', listener: () => void): void;
  address(): AddressInfo;
}

async function serveSockets(): Promise<number> {
  const Server = UntypedServer as unknown as new (options: object) => WebSocketServer;
  const server = new Server({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  const sockets = new Set<Socket>();
  server.on('connection', (_, { socket }) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [count = '0', ...words] = line.split(' ');
    const frame = frameOf(words.join(' '));
    for (let sent = 0; sent < Number(count); sent += 1) for (const socket of sockets) socket.write(frame);
  });
  await new Promise<void>((resolve) => {
    server.once('listening', resolve);
  });
  return server.address().port;
}

/** A frame of text of 126 to 65,535 bytes, as a server sends it (RFC 6455, 5.2). */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 126, body.length >> 8, body.length & 0xff]), body]);
}
