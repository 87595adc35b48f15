import { authenticate, unauthorized } from '../shared/members/authenticate.ts';
import { redeemTicket } from '../shared/members/socket-tickets.ts';
import { mintOperatorToken } from '../shared/members/tokens.ts';
import type { Config } from '../config/config.ts';
import { deriveNodeKeys } from '../config/node-keys.ts';
import { openNodeSecret } from '../config/node-secret.ts';
import { databaseUrl, type Secrets } from '../config/secrets.ts';
import type { Clock, Context } from '../service/context.ts';
import { systemRandom } from '../crypto/bytes.ts';
import type { AdmissionPolicy } from '../service/ports/network.ts';
import { outboxLimits } from '../platform/network/outbox/limits.ts';
import { createSwitchboard, type Switchboard } from '../platform/network/switchboard.ts';
import { heavyWork, type HeavyWorkLoad } from '../service/heavy-work.ts';
import type { App } from '../http/app.ts';
import { unlimited } from '../http/limits.ts';
import { anyWaiting } from '../platform/ledger/any-waiting.ts';
import { createLedgerPort } from '../platform/ledger/port.ts';
import { createOffload } from '../platform/workers/offload.ts';
import { createLog } from '../base/log-lines.ts';
import type { Log } from '../base/log.ts';
import { refuseUnloadable } from '../base/one-file.ts';
import { systemOutgoing } from '../platform/outbound/public-addresses.ts';
import { progressBoard } from '../service/progress-board.ts';
import { createHub, type Hub } from '../platform/realtime/hub.ts';
import { ledgerTypesOf, type Service } from '../service/service-parts.ts';
import { services as all } from './services.ts';
import { openBlocks } from '../platform/store/blocks/blocks.ts';
import type { Database } from '../platform/store/database.ts';
import { refuseWritable } from '../platform/store/data-folder.ts';
import type { LockHolder } from '../platform/store/lock.ts';
import { erasureKeysPath, openErasure } from '../platform/store/erasure.ts';
import { openDatabase } from '../platform/store/open.ts';

export interface EngineOptions {
  /** creates the store and the node secret if there is no store yet */
  readonly create?: boolean;
  /** migrates an older store to the current schema; default: the value of `create` */
  readonly migrate?: boolean;
  /** the name of this process, such as `conclave serve`; another process that wants the store gets it in its error message */
  readonly command?: string;
  /** set by a server; it waits a few seconds for a command that has the store, until the signal aborts */
  readonly server?: { readonly signal?: AbortSignal; readonly patienceMs?: number };
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: (size: number) => Uint8Array;
  /** default: all services of the program */
  readonly services?: readonly Service[];
}

/** The node in this process: its store, its keys and its whole interface. It does not listen on any port. */
export interface Engine extends AsyncDisposable {
  readonly context: Context;
  readonly services: readonly Service[];
  readonly hub: Hub;
  readonly heavy: HeavyWorkLoad;
  /** connects the domains with the network; it exists even when there is no network */
  readonly switchboard: Switchboard;
  /** the URL of the shared database, with its password; undefined with the embedded store */
  readonly databaseUrl: string | undefined;
  /** Calls the API as a caller who can read the data directory: the operator's operations are available, and no rate limits apply. */
  fetch(request: Request): Promise<Response>;
  /**
   * Connects to the other nodes of the pool. Returns undefined when the configuration disables the network.
   * @throws Problem unavailable PORT_IN_USE
   */
  startNetwork(): Promise<AsyncDisposable | undefined>;
  /** makes a token of type System, valid for one minute, for `fetch` and the control socket */
  operatorToken(): Promise<string>;
}

const systemClock: Clock = { now: Date.now };

/**
 * Opens the store of a configuration and builds everything that depends on it.
 *
 * @throws Problem missing STORE_MISSING or NODE_SECRET_MISSING, conflict STORE_IN_USE, and any other problem of opening the store or
 *   reading the node secret
 */
export async function openEngine(config: Config, secrets: Secrets, options: EngineOptions = {}): Promise<Engine> {
  // This timer never fires. Without it, while only a compilation of WebAssembly is pending, Node waits for all background work of V8.
  const awake = setInterval(() => undefined, 2 ** 30);
  try {
    return await open(config, secrets, options);
  } finally {
    clearInterval(awake);
  }
}

async function open(config: Config, secrets: Secrets, options: EngineOptions): Promise<Engine> {
  const { create = false, migrate = create, command, server, clock = systemClock, random = systemRandom } = options;
  const log = options.log ?? createLog(config.log);
  const url = config.database === undefined ? undefined : databaseUrl(config.database, secrets);
  if (create || server !== undefined) refuseUnloadable();
  await refuseWritable(config.dataDir);
  // If the secret must exist, it is read while the store opens. A problem with the store is reported first.
  const existing = create ? undefined : openNodeSecret(config.nodeSecretFile, { create: false });
  existing?.catch(() => undefined);
  const store = await openDatabase({
    dataDir: config.dataDir,
    url,
    create,
    migrate,
    command,
    server: server && { ...server, onWait: (holder) => sayWaiting(log, holder) },
    onUpdate: server && ((update) => log.info('the store was brought up to date', { ...update })),
    now: () => clock.now(),
  });
  try {
    // A store with members already had a secret. A new secret could not decrypt their data, so none is created.
    const secret =
      (await existing) ?? (await openNodeSecret(config.nodeSecretFile, { create: !(await hasMembers(store)), random }));
    const parts = { config, log, clock, random, store, keys: deriveNodeKeys(secret) };
    const engine = buildEngine(parts, options.services ?? all, url);
    await placeLeftEntries(engine.context);
    return engine;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** Without this line, a server that starts would be silent for seconds. */
function sayWaiting(log: Log, holder: LockHolder | undefined): void {
  const { command = 'another process', pid } = holder ?? {};
  log.warn('the store is in use; the server waits a few seconds for it', { by: command, pid });
}

type Parts = Pick<Context, 'config' | 'log' | 'clock' | 'random' | 'store' | 'keys'>;

function buildEngine(parts: Parts, services: readonly Service[], url: string | undefined): Engine {
  const { config, log, clock, store, keys } = parts;
  const heavy = heavyWork(config.heavy);
  const offload = createOffload();
  const switchboard = createSwitchboard({ ...outboxLimits, retryMs: config.outbox.retryMs });
  const hub = createHub({
    store,
    clock,
    log,
    async authenticate(token, caller) {
      const actor = await authenticate(context, token, caller, { local: false });
      // A socket may subscribe to every topic that its member may read, but one of a bot token only to those of its conversations.
      if (actor.scopes !== undefined && actor.bot === undefined) throw unauthorized();
      return actor;
    },
    redeem: (ticket) => redeemTicket(context, ticket),
  });
  const context: Context = {
    ...parts,
    instance: { startedAt: clock.now(), addresses: [], reload: undefined },
    db: store.db,
    blocks: openBlocks(config.dataDir),
    erasure: openErasure({ path: erasureKeysPath(config), store, random: parts.random }),
    heavy,
    offload,
    progress: progressBoard(),
    gossip: switchboard.port,
    outgoing: systemOutgoing(),
    realtime: hub,
    ledger: createLedgerPort(log),
    ledgerTypes: ledgerTypesOf(services),
    ledgerChecks: services.flatMap(({ ledgerChecks = [] }) => ledgerChecks),
    notificationRules: services.flatMap(({ notificationRules = [] }) => notificationRules),
    caller: undefined,
    repeatable: undefined,
    afterCommit(action) {
      // Without a transaction, everything is already committed.
      void Promise.resolve(action()).catch((error: unknown) => log.error('an action after a commit failed', { error }));
    },
  };
  for (const { events = {}, frames = {}, topics, onFrames, onSockets } of services) {
    const declared = Object.values(frames);
    hub.register({
      events: Object.values(events),
      topics: topics?.(context),
      declared,
      frames: onFrames?.(context),
      sockets: onSockets?.(context),
    });
  }
  let app: Promise<App> | undefined;

  // A server answers nothing in this process, so it never needs this app.
  async function createOwnApp(): Promise<App> {
    const { createApp } = await import('../http/app.ts');
    return createApp(context, { services, trusted: true, limits: unlimited });
  }

  return {
    context,
    services,
    hub,
    heavy,
    switchboard,
    databaseUrl: url,
    async fetch(request) {
      app ??= createOwnApp();
      return await (await app).fetch(request);
    },
    async startNetwork() {
      if (!config.network.enabled) return undefined;
      // libp2p takes longer to load than everything else together, so it is loaded only when it is needed.
      const { startNetwork } = await import('../platform/network/network.ts');
      const { serveBlocks } = await import('../shared/attachments/peer-blocks.ts');
      serveBlocks(
        context,
        services.flatMap(({ peerBlocks }) => peerBlocks?.(context) ?? []),
      );
      const admission = await admissionOf(context, services);
      switchboard.direct(admission.directory);
      return await startNetwork(context, { switchboard, admission });
    },
    operatorToken: () => mintOperatorToken(keys, clock),
    async [Symbol.asyncDispose]() {
      await offload[Symbol.asyncDispose]();
      await hub.settled();
      await context.ledger[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Entries of the ledger wait if the process that recorded them died, or if the store is a copy of that moment. */
async function placeLeftEntries(context: Context): Promise<void> {
  if (!(await anyWaiting(context.db))) return;
  const { integrateWaiting } = await import('../platform/ledger/sequencer.ts');
  await context.ledger.now(async () => await integrateWaiting(context));
}

/** Registers every service that uses the network. One of them provides the admission policy. */
async function admissionOf(context: Context, services: readonly Service[]): Promise<AdmissionPolicy> {
  const policies = await Promise.all(services.map(async ({ network }) => await network?.(context)));
  const [policy, ...others] = policies.filter((one) => one !== undefined);
  if (policy === undefined || others.length > 0) throw new Error('one service says who is admitted to the network');
  return policy;
}

async function hasMembers(store: Database): Promise<boolean> {
  return (await store.db.selectFrom('members').select('id').limit(1).executeTakeFirst()) !== undefined;
}
