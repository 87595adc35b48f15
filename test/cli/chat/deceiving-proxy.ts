import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

/** A request as a node receives it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

type Alter = (asked: Received, data: never) => unknown;

/** Stands for a node that sees what it is sent, and may answer something else than it knows. */
export interface DeceivingProxy extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** changes the `data` of answers; undefined: honest */
  alter: Alter | undefined;
  /** leaves a request without an answer */
  stalls: ((asked: Received) => boolean) | undefined;
  /** comes before a request is passed on, and may answer another body for it */
  before: ((asked: Received) => Promise<string | undefined>) | undefined;
}

/** @param to address of the honest node behind it */
export async function openDeceivingProxy(to: string): Promise<DeceivingProxy> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const given = await bodyOf(request);
      const asked = { method: request.method ?? 'GET', path: request.url ?? '/', body: given };
      received.push(asked);
      if (proxy.stalls?.(asked) === true) return;
      const { host: _, connection: __, 'content-length': ___, 'accept-encoding': ____, ...headers } = request.headers;
      const body = (await proxy.before?.(asked)) ?? given;
      const hasBody = asked.method !== 'GET' && asked.method !== 'HEAD';
      const answer = await fetch(new URL(asked.path, to), {
        method: asked.method,
        headers: headers as Record<string, string>,
        ...(hasBody && { body: new Uint8Array(Buffer.from(body)) }),
      });
      const text = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get('content-type') ?? '';
      const changed = type.includes('json') && answer.ok ? changedText(proxy.alter, asked, text) : text;
      const kept = [...answer.headers].filter(
        ([name]) => !/^(?:content-length|transfer-encoding|connection)$/.test(name),
      );
      response.writeHead(answer.status, Object.fromEntries(kept)).end(changed);
    })().catch(() => response.destroy());
  });
  // Events are what the node says.
  server.on('upgrade', (request, near, head) => {
    const far = connect(Number(new URL(to).port), new URL(to).hostname);
    const fields = request.rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    far.write(`GET ${request.url ?? '/'} HTTP/1.1\r\n${fields}\r\n`);
    far.write(head);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const proxy: DeceivingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    alter: undefined,
    stalls: undefined,
    before: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return proxy;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function changedText(alter: Alter | undefined, asked: Received, text: Buffer): Buffer {
  if (alter === undefined) return text;
  const reply = JSON.parse(text.toString()) as { data?: never };
  if (reply.data === undefined) return text;
  return Buffer.from(JSON.stringify({ ...reply, data: alter(asked, reply.data) ?? reply.data }));
}
