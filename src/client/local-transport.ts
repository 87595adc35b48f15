import type { LoadedConfig } from '../config/load.ts';
import { Problem } from '../base/problem.ts';
import type { Transport } from './transport.ts';

export interface LocalOptions {
  readonly loaded: LoadedConfig;
  /** the name of this command, for another process that finds the store locked */
  readonly command: string;
  /** creates the store and the node secret if they do not exist, and migrates an older store */
  readonly create?: boolean;
}

export interface LocalTransport extends Transport {
  operatorToken(): Promise<string>;
}

/** Opens the store in this process and calls the API without a connection. */
export async function localTransport({ loaded, command, create = false }: LocalOptions): Promise<LocalTransport> {
  const { openEngine } = await import('../node/engine.ts');
  const { createLog } = await import('../base/log-lines.ts');
  const log = createLog({ level: 'error', format: 'text' });
  const engine = await openEngine(loaded.config, loaded.secrets, { create, migrate: create, command, log });
  return {
    operatorToken: () => engine.operatorToken(),
    send: sendWithin((request) => engine.fetch(request)),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Sends requests to an interface in this process. */
export function sendWithin(fetch: (request: Request) => Response | Promise<Response>): Transport['send'] {
  return async ({ method, path, headers, body }, signal) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : ReadableStream.from(body), duplex: 'half' }),
      ...(signal !== undefined && { signal }),
    });
    const response = await fetch(request);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.body ?? nothing(),
    };
  };
}

/** Whether an error says that another process has the store open. */
export function isStoreInUse(error: unknown): boolean {
  return error instanceof Problem && error.code === 'STORE_IN_USE';
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
