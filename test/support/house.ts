import type { Happened } from '../../src/service/ports/realtime.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { mintOperatorToken } from '../../src/shared/members/tokens.ts';
import { operatorId } from '../../src/service/actor.ts';
import { requestOf } from '../../src/client/request.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import type { Clock, Context } from '../../src/service/context.ts';
import type { JsonOperation, Method, RawInputOf } from '../../src/contract/operation.ts';
import { noGossip } from '../../src/service/ports/network.ts';
import { createLedgerPort } from '../../src/platform/ledger/port.ts';
import { ledgerTypesOf, type Service } from '../../src/service/service-parts.ts';
import { services } from '../../src/node/services.ts';
import { createApp } from '../../src/http/app.ts';
import { memoryCounter } from '../../src/http/counter.ts';
import { createLimits } from '../../src/http/limits.ts';
import { heavyWork } from '../../src/service/heavy-work.ts';
import { systemOutgoing } from '../../src/platform/outbound/public-addresses.ts';
import { progressBoard } from '../../src/service/progress-board.ts';
import { lentBlocks } from './lent-blocks.ts';
import type { EngineName } from '../../src/platform/store/database.ts';
import { erasureKeysPath, openErasure } from '../../src/platform/store/erasure.ts';
import { cheapCosts } from './cheap-costs.ts';
import { frameText } from '../../src/platform/realtime/happened.ts';
import { collectLog, type CollectedLog } from './collected-log.ts';
import { meanwhile, type Meanwhile } from './meanwhile.ts';
import { secretsOf, storePrepared, storeSession, type HouseMember, type WantedMember } from './prepared-member.ts';
import { lentOffload } from './lent-offload.ts';
import { openTestStore } from './stores.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** Time as a test wants it. It begins on 15 January 2026 and stands still. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

export interface ApiOptions {
  readonly token?: string | undefined;
  /** sent as JSON */
  readonly body?: unknown;
  /** sent as it is, instead of `body` */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** as over the control socket: the operator's tokens and operations count */
  readonly trusted?: boolean;
  /** the client's, as a listener would see it */
  readonly address?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

export interface HouseOptions {
  readonly config?: Partial<Config>;
  /** parts of the context instead of the house's own */
  readonly context?: Partial<Context>;
  /** of the node; another one makes another node */
  readonly secret?: Uint8Array;
  /** what it serves, when not all services and nothing else */
  readonly services?: readonly Service[];
}

/** A whole node in this process: real store, real app, a clock and a log that tests hold in their hands. */
export interface House extends AsyncDisposable {
  readonly ctx: Context;
  readonly clock: TestClock;
  readonly log: CollectedLog;
  /** changes something between what a service prepares and its transaction */
  readonly meanwhile: Meanwhile['before'];
  /** changes something while the next transaction waits for its commit, on PostgreSQL */
  readonly within: Meanwhile['within'];
  /** has the next transaction fail at its end */
  readonly spoil: Meanwhile['spoil'];
  /** ids of sessions whose sockets were told to close, in order */
  readonly endedSockets: readonly string[];
  /** what was told to sockets, in order */
  readonly happened: readonly Happened[];
  /** as over TCP */
  readonly fetch: Fetch;
  /** as in process and over the control socket */
  readonly trustedFetch: Fetch;
  api(method: Method, path: string, options?: ApiOptions): Promise<ApiAnswer>;
  perform<O extends JsonOperation>(
    operation: O,
    input: RawInputOf<O>,
    token?: string,
    options?: Omit<ApiOptions, 'token' | 'body' | 'rawBody'>,
  ): Promise<ApiAnswer>;
  /** a member who is signed in, with a name of their own unless one is wanted; put into the store as a registration would */
  register(wanted?: Partial<WantedMember>): Promise<HouseMember>;
  /** the same, as an administrator that the operator made */
  administrator(username?: string, secrets?: Pick<WantedMember, 'password' | 'mnemonic'>): Promise<HouseMember>;
  /** one more session of a member, as a sign-in with the password would begin it; answers its token */
  signIn(member: HouseMember): Promise<string>;
  operatorToken(): Promise<string>;
}

export async function openHouse(engine: EngineName, options: HouseOptions = {}): Promise<House> {
  const dataDir = await mkdtemp(join(tmpdir(), 'conclave-house-'));
  const { store, before, within, spoil } = meanwhile(await openTestStore(engine));
  const config = { ...(await cheapConfig(dataDir)), ...options.config };
  const clock = testClock();
  const log = collectLog();
  const endedSockets: string[] = [];
  const happened: Happened[] = [];
  const ctx: Context = {
    config,
    instance: { startedAt: clock.now(), addresses: [], reload: undefined },
    keys: deriveNodeKeys(options.secret ?? random(32)),
    store,
    db: store.db,
    blocks: lentBlocks(dataDir),
    erasure: openErasure({ path: erasureKeysPath(config), store, random }),
    clock,
    random,
    heavy: heavyWork(config.heavy),
    offload: lentOffload(),
    progress: progressBoard(),
    gossip: noGossip,
    outgoing: systemOutgoing(),
    caller: undefined,
    repeatable: undefined,
    ledger: createLedgerPort(log),
    ledgerTypes: ledgerTypesOf(options.services ?? services),
    ledgerChecks: (options.services ?? services).flatMap(({ ledgerChecks = [] }) => ledgerChecks),
    notificationRules: (options.services ?? services).flatMap(({ notificationRules = [] }) => notificationRules),
    realtime: {
      id: 'house',
      endSessions: async (ids) => void endedSockets.push(...ids),
      // What is told is looked at by tests.
      passes: () => true,
      seen: () => undefined,
      hears: () => true,
      deliver: (what) => void happened.push(what),
      spread: ({ topics, ...event }) => {
        for (const topic of topics)
          happened.push({ kind: 'event', topic, seq: undefined, text: frameText({ topic, ...event }) });
      },
    },
    log,
    afterCommit: (action) => void action(),
    ...options.context,
  };
  const limits = createLimits(config.limits, memoryCounter);
  const fetches = [false, true].map((trusted): Fetch => {
    // Most tests ask one of them.
    let app: ReturnType<typeof createApp> | undefined;
    return async (request) => {
      app ??= createApp(ctx, { services: options.services ?? services, trusted, limits, checkReplies: true });
      return await app.fetch(request);
    };
  });
  const [fetch, trustedFetch] = fetches as [Fetch, Fetch];

  const api: House['api'] = async (method, path, { token, body, rawBody, headers, trusted, address } = {}) => {
    const request = new Request(`http://house.test${path}`, {
      method,
      headers: {
        ...(rawBody === undefined && body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'user-agent': 'house-test',
        ...headers,
      },
      body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
    });
    // What srvx puts on the requests of a listener.
    if (address !== undefined) Object.defineProperty(request, 'ip', { value: address });
    return await answerOf(await (trusted === true ? trustedFetch : fetch)(request));
  };

  const perform: House['perform'] = async (operation, input, token, more = {}) => {
    const wire = requestOf(operation, input);
    const headers = { ...wire.headers, ...more.headers };
    return await api(wire.method, wire.path, {
      ...more,
      token,
      headers,
      ...(wire.body !== undefined && { rawBody: wire.body }),
    });
  };

  let members = 0;
  const wantedMember = (wanted: Partial<WantedMember>): WantedMember => {
    members += 1;
    const username = wanted.username ?? `member-${members}`;
    return { email: `${username.toLowerCase()}@example.org`, ...secretsOf(members), ...wanted, username };
  };
  const operatorToken = async () => await mintOperatorToken(ctx.keys, clock);

  return {
    ctx,
    clock,
    log,
    meanwhile: before,
    within,
    spoil,
    endedSockets,
    happened,
    fetch,
    trustedFetch,
    api,
    perform,
    operatorToken,
    register: async (wanted = {}) => await storePrepared(ctx, wantedMember(wanted), { type: 'User' }),
    administrator: async (username, secrets) => {
      const wanted = wantedMember({ ...(username !== undefined && { username }), ...secrets });
      return await storePrepared(ctx, wanted, { type: 'Admin', createdBy: operatorId });
    },
    signIn: async (member) => await storeSession(ctx, member),
    async [Symbol.asyncDispose]() {
      await ctx.ledger[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The defaults, but for what passwords cost and for rate limits. */
async function cheapConfig(dataDir: string): Promise<Config> {
  const { config } = await loadConfig({ flags: { 'data-dir': dataDir }, env: {}, home: dataDir, cwd: dataDir });
  return {
    ...config,
    ...cheapCosts(config),
    limits: { ...config.limits, enabled: false },
    heavy: { atOnce: 4, queued: 1000 },
  };
}

function testClock(): TestClock {
  let time = Date.UTC(2026, 0, 15, 12);
  return {
    now: () => time,
    advance: (milliseconds) => void (time += milliseconds),
  };
}

function random(size: number) {
  return randomBytes(size);
}

async function answerOf(response: Response): Promise<ApiAnswer> {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}
