import { execaNode } from 'execa';
import { fileURLToPath } from 'node:url';

export interface LoadResult {
  readonly perSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** as it goes over the wire */
  readonly request: string;
}

const generator = fileURLToPath(new URL('load.ts', import.meta.url));

/** Requests per second, from another process. Anything but 200 is an error: a refusal is answered faster than work is done. */
export async function measureLoad({ port, connections, seconds, request }: Load): Promise<number> {
  const { stdout } = await execaNode(generator, [String(port), String(connections), String(seconds)], {
    nodeOptions: ['--import', 'tsx'],
    input: request,
  });
  const { perSecond, statuses } = JSON.parse(stdout) as LoadResult;
  const others = Object.keys(statuses).filter((status) => status !== '200');
  if (others.length > 0) throw new Error(`the server answered ${JSON.stringify(statuses)}`);
  return perSecond;
}

export function wireRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const length =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
