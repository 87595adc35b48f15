import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { JsonObject } from '../../../crypto/formats/ledger/entry.ts';
import type { QuorumProposalRow } from '../../../platform/store/tables/quorum.ts';
import type { ChangedRow } from '../audit/row-digests.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** What an action did. */
export interface Executed {
  /** the rows of audited tables that changed */
  readonly changed: readonly ChangedRow[];
  /** for the audit trail; ids, counts and decisions alone */
  readonly details?: JsonObject;
}

/** What a type of proposal does. Its fields are in contract/quorum/actions.ts. */
export interface Action<P> {
  /** It can't be undone, so it waits for the timelock of the configuration. */
  readonly destructive?: true;
  /** The inner quorum decides on it where there is one. All members decide on anything else. */
  readonly routine?: true;
  /**
   * Completes a payload when the proposal is made, before the transaction, so that members vote on all that will be done.
   * @throws Problem
   */
  prepare?(ctx: Context, actor: Actor, payload: P): Promise<P>;
  /**
   * Refuses what can't be done now. It runs when the proposal is made, and again in the transaction that carries it out.
   * @throws Problem
   */
  check(tx: Context, proposal: QuorumProposalRow, payload: P): Promise<void>;
  /**
   * Carries it out, after `check`, in the transaction of the decision and under `holdEpoch`. A Problem undoes all that it did and makes
   * the proposal `failed`, with the message as the reason.
   *
   * @param actorId the account whose vote decided, or the operator
   */
  execute(tx: Context, proposal: QuorumProposalRow, payload: P, actorId: string): Promise<Executed>;
  /**
   * Carries it out after the decision, by a job, instead of `execute`: for what can't be prepared inside a transaction.
   *
   * @param done must be called once, in the transaction of the effect; it throws if the proposal was carried out or ended meanwhile
   * @throws Problem as `execute`
   */
  carryOutApart?(
    ctx: Context,
    proposal: QuorumProposalRow,
    payload: P,
    done: (tx: Context, executed: Executed) => Promise<void>,
  ): Promise<void>;
}
