import type { Actor, Guest } from './actor.ts';
import type { Context } from './context.ts';
import type { Auth, Contract, InputOf, JsonOperation, Operation, ReplyOf } from './contract/operation.ts';

/** Whom a service meets behind each kind of authentication. */
export type ActorOf<A extends Auth> = A extends 'none' ? Guest : A extends 'optional' ? Actor | Guest : Actor;

type Reply<O extends Operation> = O extends JsonOperation ? ReplyOf<O> : Response;

type Rest<O extends Operation> = O extends JsonOperation ? [] : [request: Request];

/** One function an operation, by the contract's own names: one that is missing or wrongly typed doesn't compile. */
export type Implementation<C extends Contract> = {
  readonly [K in keyof C]: (
    ctx: Context,
    actor: ActorOf<C[K]['auth']>,
    input: InputOf<C[K]>,
    ...rest: Rest<C[K]>
  ) => Promise<Reply<C[K]>>;
};
