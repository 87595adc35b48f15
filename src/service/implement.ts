import type { Actor, Guest } from './actor.ts';
import type { Context } from './context.ts';
import type {
  Auth,
  Contract,
  InputOf,
  JsonOperation,
  Operation,
  ReplyingOperation,
  ReplyOf,
  UploadOperation,
} from '../contract/operation.ts';
import type { Download, Upload } from './raw-bodies.ts';

/** The type of the actor for each kind of authentication. */
export type ActorOf<A extends Auth> = A extends 'none' ? Guest : A extends 'optional' ? Actor | Guest : Actor;

type Reply<O extends Operation> = O extends ReplyingOperation ? ReplyOf<O> : Download | Response;

/** Only the node's own pages in http/ get the request itself. */
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

/** One function per operation, with the names of the contract. A missing or wrongly typed function is a compile error. */
export type Implementation<C extends Contract> = { readonly [K in keyof C]: Performing<C[K]> };

/** Loads a file that exports functions with the names of operations. What else it exports doesn't matter. */
type Load<C extends Contract> = () => Promise<Partial<Implementation<C>>>;

type ExportsOf<L> = L extends () => Promise<infer Exports> ? keyof Exports : never;

/** Nothing if the files export all operations of the group. If not, no list of files has this type, and the error names what is missing. */
type Covering<C extends Contract, Files extends readonly Load<C>[]> = [
  Exclude<keyof C, ExportsOf<Files[number]>>,
] extends [never]
  ? unknown
  : { readonly missing: Exclude<keyof C, ExportsOf<Files[number]>> };

type Perform = (...call: readonly unknown[]) => Promise<unknown>;
type Exports = Readonly<Record<string, Perform>>;

/**
 * The implementation of a group of operations by the functions of the same names in its file, or together in several. They are loaded at
 * the first call of one of the operations. So a server starts without loading bcrypt, curves, importers and word lists.
 */
export function implement<C extends Contract, const Files extends readonly Load<C>[]>(
  group: C,
  ...files: Files & Covering<C, Files>
): Implementation<C> {
  const loadAll = whileUnsettled(async () => {
    const exports = await Promise.all(files.map(async (load) => await load()));
    return Object.assign({}, ...exports) as Exports;
  });
  const entries = Object.keys(group).map((name) => {
    let loaded: Perform | undefined;
    const first = async (...call: readonly unknown[]): Promise<unknown> => {
      loaded = (await loadAll())[name] as Perform;
      return await loaded(...call);
    };
    // A loaded function is called directly, because every request passes this code.
    const perform: Perform = (...call) => (loaded ?? first)(...call);
    return [name, perform] as const;
  });
  return Object.fromEntries(entries) as unknown as Implementation<C>;
}

/** Calls that come while the first one is under way share its result. One that fails is made anew by the next call. */
function whileUnsettled<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return await loading;
  };
}
