import type { FrameRules, MemberSockets, TopicKind } from './ports/realtime.ts';
import type { SettingTables } from '../config/option.ts';
import type { Context } from './context.ts';
import type { Topic } from '../contract/all.ts';
import type { Contract } from '../contract/operation.ts';
import type { Implementation } from './implement.ts';
import type { AdmissionPolicy, Peer } from './ports/network.ts';
import type { LedgerCheck } from './ports/ledger-check.ts';
import type { NotificationRulesOf } from './ports/notification-rules.ts';
import type { JobHandler } from '../platform/store/jobs/jobs.ts';
import type { AnySpace } from './ports/dav.ts';
import type { Submission } from './ports/submission.ts';

export type NotificationRules = NotificationRulesOf<Context>;

/** The parts of a service that the platform uses, apart from its operations. */
export interface Background {
  /** the function for each kind of job; it is created when the first job of that kind is due */
  readonly jobs?: Readonly<Record<string, (ctx: Context) => Promise<JobHandler>>>;
  /** the same for jobs that wait for servers outside of the pool: they run beside the others, so that a slow server holds up nothing else */
  readonly distantJobs?: Background['jobs'];
  /** deletes expired data; runs as a job of the store every few minutes, in one process at a time */
  readonly purge?: (ctx: Context) => Promise<unknown>;
  /** runs in every server from its start until the signal aborts, and resolves then */
  readonly watch?: (ctx: Context, signal: AbortSignal) => Promise<void>;
  /** registers the service on the network between nodes before the network starts; the pool returns the admission policy */
  readonly network?: (ctx: Context) => Promise<AdmissionPolicy | undefined>;
  /** takes the messages that programs submit over SMTP; one service does */
  readonly submission?: (ctx: Context) => Promise<Submission>;
  /** what programs that speak DAV see of the service */
  readonly dav?: () => Promise<AnySpace>;
  /** which blocks of its rows other nodes may fetch; a block that no service allows is as if it didn't exist */
  readonly peerBlocks?: (ctx: Context) => (blockId: string, peer: Peer) => Promise<boolean>;
  /** who may subscribe to the real-time topics of each kind; the kind is the part of a topic's name before the first colon */
  readonly topics?: (ctx: Context) => Readonly<Record<string, TopicKind>>;
  /** handles the frames that clients send over sockets; one handler for each frame that the contract declares */
  readonly onFrames?: (ctx: Context) => readonly FrameRules[];
  /** hears whose sockets come and go in this process */
  readonly onSockets?: (ctx: Context) => MemberSockets;
  /** the types of entries that the service records in the ledger; a type is never renamed or given another meaning */
  readonly ledgerTypes?: readonly string[];
  /** what `ledger verify --full` compares with the rows of the service */
  readonly ledgerChecks?: readonly LedgerCheck[];
  /** who may see what the notifications of the service are about */
  readonly notificationRules?: readonly NotificationRules[];
  /** the tables of the configuration that the service declares; `config/services.ts` has them all */
  readonly settings?: SettingTables;
}

export interface Parts<C extends Contract> extends Background {
  readonly implementation: Implementation<C>;
}

/** A service as `http`, `serve` and the engine see it. They work with any list of services. */
export interface Service extends Topic, Parts<Contract> {}

export function service<C extends Contract>(topic: Topic & { readonly contract: C }, parts: Parts<C>): Service {
  // The caller of an operation validates the input with the contract of the same service.
  return { ...topic, ...parts } as unknown as Service;
}

/** @throws Error when two services declare the same type, because that type would have two meanings */
export function ledgerTypesOf(services: readonly Background[]): ReadonlySet<string> {
  const types = services.flatMap(({ ledgerTypes = [] }) => ledgerTypes);
  const all = new Set(types);
  if (all.size < types.length) throw new Error(`two services record the same type: ${types.join(', ')}`);
  return all;
}
