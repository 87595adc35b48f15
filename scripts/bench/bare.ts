// The least that can answer, in a process of its own, next to which our server is measured. Says where it listens.
//   bare.ts body         an h3 handler on listhen that answers everything with the bytes of standard input, as JSON
//   bare.ts file FILE    a node:http server that pipes a file
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { H3, toNodeHandler } from 'h3';
import { listen } from 'listhen';

const [what, file = ''] = process.argv.slice(2);
const port = what === 'file' ? await serveFile() : await serveBody();
process.stdout.write(`http://127.0.0.1:${port}\n`);

async function serveBody(): Promise<number> {
  const body = await buffer(process.stdin);
  const app = new H3();
  app.all('/**', () => new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8' } }));
  const { address } = await listen(toNodeHandler(app), {
    port: { port: 0, random: true },
    hostname: '127.0.0.1',
    isProd: true,
    public: false,
    showURL: false,
    autoClose: false,
  });
  return address.port;
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
