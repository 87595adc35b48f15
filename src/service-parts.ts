import type { Actor, Guest } from './actor.ts';
import type { Context } from './context.ts';
import type { Topic } from './contract/all.ts';
import type {
  Auth,
  Contract,
  InputOf,
  JsonOperation,
  Operation,
  ReplyingOperation,
  ReplyOf,
  UploadOperation,
} from './contract/operation.ts';
import type { AdmissionPolicy } from './gossip/port.ts';
import type { FrameRules } from './realtime/frames.ts';
import type { TopicKind } from './realtime/topics.ts';
import type { JobHandler } from './store/jobs/jobs.ts';
import type { Download, Upload } from './raw-bodies.ts';

/** Whom an implementation meets behind each kind of authentication. */
export type ActorOf<A extends Auth> = A extends 'none' ? Guest : A extends 'optional' ? Actor | Guest : Actor;

type Reply<O extends Operation> = O extends ReplyingOperation ? ReplyOf<O> : Download | Response;

/** The request itself is only for the node's own pages in http/. */
type Rest<O extends Operation> = O extends JsonOperation
  ? []
  : O extends UploadOperation
    ? [upload: Upload]
    : [upload: Upload, request: Request];

export type Performing<O extends Operation> = (
  ctx: Context,
  actor: ActorOf<O['auth']>,
  input: InputOf<O>,
  ...rest: Rest<O>
) => Promise<Reply<O>>;

/** One function an operation, by the contract's own names: one that is missing or wrongly typed doesn't compile. */
export type Implementation<C extends Contract> = { readonly [K in keyof C]: Performing<C[K]> };

/** For each operation the file that exports a function of its name. */
export type Files<C extends Contract> = {
  readonly [K in keyof C]: () => Promise<{ readonly [Name in K]: Performing<C[K]> }>;
};

type Perform = (...call: readonly unknown[]) => Promise<unknown>;

/**
 * An implementation whose files are loaded when an operation of theirs is first performed: a server starts without bcrypt, curves,
 * importers and word lists.
 */
export function lazily<C extends Contract>(files: Files<C>): Implementation<C> {
  const loaders = Object.entries(files) as [name: string, load: () => Promise<Readonly<Record<string, Perform>>>][];
  const entries = loaders.map(([name, load]) => {
    let loaded: Perform | undefined;
    const first = async (...call: readonly unknown[]): Promise<unknown> => {
      loaded = (await load())[name] as Perform;
      return await loaded(...call);
    };
    // A loaded function is called directly, because every request comes through here.
    const perform: Perform = (...call) => (loaded ?? first)(...call);
    return [name, perform] as const;
  });
  return Object.fromEntries(entries) as unknown as Implementation<C>;
}

/** What the platform does for a service beside serving its operations. */
export interface Background {
  /** the function for each kind of job; created when the first job of that kind is due */
  readonly jobs?: Readonly<Record<string, (ctx: Context) => Promise<JobHandler>>>;
  /** clears away what time has ended: a job of the store, every few minutes, in one process at a time */
  readonly purge?: (ctx: Context) => Promise<unknown>;
  /** puts the service on the network between nodes before that starts; the pool answers with who is admitted */
  readonly network?: (ctx: Context) => Promise<AdmissionPolicy | undefined>;
  /** who may hear the real-time topics of each kind, which is what stands before the first colon of their names */
  readonly topics?: (ctx: Context) => Readonly<Record<string, TopicKind>>;
  /** carries out what clients send over sockets, for each frame that the contract declares */
  readonly onFrames?: (ctx: Context) => readonly FrameRules[];
  /** what the service records in the ledger; a type is never renamed or given another meaning */
  readonly ledgerTypes?: readonly string[];
}

export interface Parts<C extends Contract> extends Background {
  readonly implementation: Implementation<C>;
}

/** A service as `http`, `serve` and the engine see it: none of them knows which there are. */
export interface Service extends Topic, Parts<Contract> {}

export function service<C extends Contract>(topic: Topic & { readonly contract: C }, parts: Parts<C>): Service {
  // Who performs an operation reads its input by the contract that stands beside it.
  return { ...topic, ...parts } as unknown as Service;
}

/** @throws Error where two services have the same type, which would mean two things */
export function ledgerTypesOf(services: readonly Background[]): ReadonlySet<string> {
  const types = services.flatMap(({ ledgerTypes = [] }) => ledgerTypes);
  const all = new Set(types);
  if (all.size < types.length) throw new Error(`two services record the same type: ${types.join(', ')}`);
  return all;
}
