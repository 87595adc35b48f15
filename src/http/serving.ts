import type { H3Event } from 'h3';
import type { Actor, Caller } from '../actor.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import type { BodyPace } from './body-pace.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Limits } from './limits.ts';

/** One answered request, for logs and metrics. Paths are patterns where one is known, and never hold a query. */
export interface Observation {
  readonly requestId: string;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string;
}

/** @param sent headers of the answer, whatever that will be; a handler adds to them */
export type Handle = (event: H3Event, ctx: Context, caller: Caller, sent: Record<string, string>) => Promise<Response>;

/** What every mounted operation shares. */
export interface Serving {
  /** in process or over the control socket, where whoever connects can read the data directory anyway */
  readonly trusted: boolean;
  readonly jsonBodyLimit: number;
  /** tests check what services answer against the contract */
  readonly checkReplies: boolean;
  readonly limits: Limits;
  readonly bytes: ByteBudget;
  readonly bodyPace: BodyPace;
  /**
   * The id of the member who signs in by this name, and the device that a guest shows where they signed in on it before. It does the
   * same for a name that nobody has.
   */
  memberNamed(
    ctx: Context,
    name: string,
    device: string | undefined,
  ): Promise<{ readonly memberId: string | undefined; readonly device: string | undefined }>;
  authenticate(ctx: Context, token: string, caller: Caller, where: { readonly local: boolean }): Promise<Actor>;
  /** runs a handler and answers, whatever it throws */
  answer(event: H3Event, op: Operation, handle: Handle): Promise<Response>;
  /** the methods that paths of this shape have, to add to */
  methodsOf(path: string): Set<string>;
}
