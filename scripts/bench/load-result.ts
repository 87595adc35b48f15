import { execaNode } from 'execa';
import { fileURLToPath } from 'node:url';

/** What the generator prints. */
export interface LoadResult {
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** as it goes over the wire; of several each connection sends its share once, however long that takes */
  readonly request: string | readonly string[];
  /** of a success */
  readonly status?: 200 | 201;
}

export interface Answered {
  readonly answers: number;
  readonly perSecond: number;
}

const generator = fileURLToPath(new URL('load.ts', import.meta.url));

/** Loads a server from another process. Anything but a success is an error: a refusal is answered faster than work is done. */
export async function load({ port, connections, seconds, request, status = 200 }: Load): Promise<Answered> {
  const { stdout } = await execaNode(generator, [String(port), String(connections), String(seconds)], {
    nodeOptions: ['--import', 'tsx'],
    input: typeof request === 'string' ? request : request.join('\0'),
  });
  const result = JSON.parse(stdout) as LoadResult;
  const { [String(status)]: answers = 0, ...others } = result.statuses;
  if (Object.keys(others).length > 0) throw new Error(`the server answered ${JSON.stringify(result.statuses)}`);
  return { answers, perSecond: answers / result.seconds };
}

export function wireRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const about = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...about });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
