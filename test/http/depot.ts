import type { Implementation } from '../../src/service/implement.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { socketTransport, remoteTransport } from '../../src/client/http-transport.ts';
import { sendWithin } from '../../src/client/local-transport.ts';
import type { Caller } from '../../src/client/perform.ts';
import type { Transport } from '../../src/client/transport.ts';
import type { Config } from '../../src/config/config.ts';
import type { Context } from '../../src/service/context.ts';
import { rawOperation, uploadOperation } from '../../src/contract/operation.ts';
import { line } from '../../src/contract/text.ts';
import type { BodyPace } from '../../src/http/body-pace.ts';
import { createByteBudget, type ByteBudget } from '../../src/http/byte-budget.ts';
import { unlimited } from '../../src/http/limits.ts';
import { mount } from '../../src/http/mount.ts';
import { publicProblem, respondProblem } from '../../src/http/respond.ts';
import { trackConnections } from '../../src/node/listeners/connections.ts';
import { nodeListener } from '../../src/node/listeners/app-listener.ts';
import { collectLog, type CollectedLog } from '../support/collected-log.ts';
import { routed } from './routed.ts';

export const GIBIBYTE = 1024 ** 3;
const common = { envelope: 'filevault', auth: 'none', status: 200, errors: ['NOT_FOUND'] } as const;
const stored = v.object({ name: v.string(), size: v.number(), type: v.string() });

/** A service that doesn't exist, and keeps what is sent to it. */
export const depot = {
  put: uploadOperation({
    ...common,
    id: 'depot.put',
    method: 'PUT',
    path: '/filevault/depot/:name',
    summary: 'Store something',
    input: v.object({ name: line(40), part: v.optional(line(10)) }),
    reply: stored,
    message: 'Stored',
    accepts: ['application/octet-stream', 'image/*'],
    digest: true,
    maxBody: 2 * GIBIBYTE,
  }),
  add: uploadOperation({
    ...common,
    id: 'depot.add',
    method: 'POST',
    path: '/filevault/depot',
    summary: 'Store something small',
    input: v.object({}),
    reply: stored,
    message: 'Stored',
    status: 201,
    accepts: ['application/octet-stream'],
    maxBody: 10,
  }),
  get: rawOperation({
    ...common,
    id: 'depot.get',
    method: 'GET',
    path: '/filevault/depot/:name',
    summary: 'Fetch it',
    input: v.object({ name: line(40) }),
    accepts: [],
    produces: ['application/octet-stream'],
    digest: true,
    ranges: true,
  }),
};

export type Depot = Implementation<typeof depot>;
export const ways = ['in this process', 'over TCP', 'over the control socket'] as const;

export interface OpenDepot extends Caller, AsyncDisposable {
  readonly transport: Transport;
  readonly log: CollectedLog;
  readonly bytes: ByteBudget;
  /** where it listens, but in this process */
  readonly url: string;
}

export interface DepotOptions {
  readonly pace?: BodyPace;
  readonly server?: Partial<Config['server']>;
  readonly budget?: number;
}

const slowly: BodyPace = { bytesPerSecond: 1, graceMs: 600_000 };
const limits: Config['server'] = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 600_000,
  keepAliveMs: 60_000,
  maxConnections: 10,
  connectionsPerAddress: 10,
  bodyPace: slowly,
  drainMs: 0,
};

const missing = async (): Promise<never> => await Promise.reject(new Error('nobody thought of this'));

/** Serves the depot over one of the ways in, to a client of it. */
export async function openDepot(
  way: (typeof ways)[number],
  services: Partial<Depot>,
  { pace = slowly, server: changes = {}, budget = 100 * 1024 ** 2 }: DepotOptions = {},
): Promise<OpenDepot> {
  const { h3, routes } = routed();
  const log = collectLog();
  const bytes = createByteBudget({ perAddress: budget, perAccount: budget, total: budget });
  // Of the context, raw operations need no more here.
  const offload = { run: missing, of: () => offload };
  const ctx = { log, offload, heavy: { run: missing, of: () => undefined } } as unknown as Context;
  mount(
    routes,
    {
      trusted: way !== 'over TCP',
      jsonBodyLimit: () => 1000,
      checkReplies: true,
      limits: unlimited,
      bytes,
      bodyPace: pace,
      memberNamed: missing,
      authenticate: missing,
      checkAppPassword: missing,
      async answer(event, op, handle) {
        const caller = { address: way === 'over TCP' ? '192.0.2.1' : 'local', userAgent: 'test' };
        const sent = { 'x-request-id': 'id-1' };
        try {
          return await handle(event, ctx, caller, sent);
        } catch (error) {
          if (publicProblem(error, '').kind === 'internal') log.error('unexpected error', { error });
          return respondProblem(op.envelope, publicProblem(error, 'id-1'), sent);
        }
      },
    },
    depot,
    { put: missing, add: missing, get: missing, ...services },
  );
  const fetch = (request: Request): Response | Promise<Response> => h3.fetch(request);
  const caller = { place: 'the depot', userAgent: 'test', tokenFor: async () => undefined, log, bytes };
  if (way === 'in this process') {
    const transport: Transport = { send: sendWithin(fetch), [Symbol.asyncDispose]: async () => {} };
    return { ...caller, url: 'none', transport, [Symbol.asyncDispose]: async () => {} };
  }
  const connections = trackConnections(
    nodeListener(fetch, log),
    { ...limits, ...changes },
    { overTcp: way === 'over TCP', proxied: { trustedProxies: [] } },
  );
  const server = createServer(connections.listener);
  connections.watch(server);
  const folder = await mkdtemp(join(tmpdir(), 'depot-'));
  const path = join(folder, 's');
  await new Promise<void>((resolve) => {
    if (way === 'over TCP') server.listen(0, '127.0.0.1', resolve);
    else server.listen(path, resolve);
  });
  const url = way === 'over TCP' ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : path;
  return {
    ...caller,
    url,
    transport: way === 'over TCP' ? remoteTransport(new URL(url), undefined) : socketTransport(url),
    async [Symbol.asyncDispose]() {
      await connections.cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
