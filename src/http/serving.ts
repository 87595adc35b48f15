import type { H3Event } from 'h3';
import type { Actor, Caller } from '../service/actor.ts';
import type { Context } from '../service/context.ts';
import type { Operation } from '../contract/operation.ts';
import type { PresentedAppPassword } from '../shared/members/app-passwords.ts';
import type { BodyPace } from './body-pace.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Limits } from './limits.ts';

/** One answered request, for logs and metrics. The path is a pattern if one is known, and never holds a query. */
export interface Observation {
  readonly requestId: string;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string;
}

/** @param sent headers of every possible answer; a handler adds to them */
export type Handle = (event: H3Event, ctx: Context, caller: Caller, sent: Record<string, string>) => Promise<Response>;

/** The parts that all mounted operations share. */
export interface Serving {
  /** true in process and over the control socket: callers there can read the data directory anyway */
  readonly trusted: boolean;
  /** bytes; it may change while the server runs */
  readonly jsonBodyLimit: () => number;
  /** tests check replies of services against the contract */
  readonly checkReplies: boolean;
  readonly limits: Limits;
  readonly bytes: ByteBudget;
  readonly bodyPace: BodyPace;
  /**
   * The id of the member with this sign-in name. If that member signed in before on the guest's device, the device is returned too. An
   * unknown name takes the same work.
   */
  memberNamed(
    ctx: Context,
    name: string,
    device: string | undefined,
  ): Promise<{ readonly memberId: string | undefined; readonly device: string | undefined }>;
  authenticate(ctx: Context, token: string, caller: Caller, where: { readonly local: boolean }): Promise<Actor>;
  checkAppPassword(ctx: Context, presented: Omit<PresentedAppPassword, 'failed'>): Promise<Actor>;
  /** runs a handler, and answers even if it throws */
  answer(event: H3Event, op: Operation, handle: Handle): Promise<Response>;
}
