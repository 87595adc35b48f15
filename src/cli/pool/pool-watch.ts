import { perform, type Caller } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { PendingNode, PoolJoin } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeForTerminal, escapedJson } from '../kit/escape-for-terminal.ts';
import { shortId } from './pool-details.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';

/** Milliseconds between two polls. People make the decisions, so faster polling is of no use. */
const EVERY_MS = 1_000;

export type QueueEvent =
  | { readonly event: 'pending'; readonly node: PendingNode }
  | { readonly event: 'gone'; readonly nodeId: string };

/** Nobody has to decide about a node with a join token. */
export const untilReached = 'The other node has not answered. This node asks again with its token until it does.';

export interface Watching {
  /** ends after this many milliseconds */
  readonly forMs: number;
  readonly everyMs?: number;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly now: () => number;
  readonly tell: (event: QueueEvent) => void;
  readonly trouble: (problem: Problem) => void;
}

/** Reports waiting nodes, new join requests and decisions. If the server is away for a while, it waits for the server. */
export async function watchQueue(client: Caller, watching: Watching): Promise<void> {
  const { forMs, now, tell, trouble, everyMs = EVERY_MS, pause = sleep } = watching;
  const until = now() + forMs;
  let known = new Map<string, string>();
  let away = false;
  for (;;) {
    try {
      const { pendingNodes } = await perform(client, pool.pendingNodes, {});
      const next = new Map(pendingNodes.map((node) => [node.nodeId, node.requestedAt]));
      for (const nodeId of known.keys()) if (!next.has(nodeId)) tell({ event: 'gone', nodeId });
      for (const node of pendingNodes)
        if (known.get(node.nodeId) !== node.requestedAt) tell({ event: 'pending', node });
      known = next;
      away = false;
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'network' && error.kind !== 'unavailable')) throw error;
      if (!away) trouble(error);
      away = true;
    }
    const left = until - now();
    if (left <= 0) return;
    await pause(Math.min(everyMs, left));
  }
}

/**
 * Waits until a join request is decided.
 *
 * @throws Problem forbidden JOIN_DENIED, JOIN_REFUSED; gone JOIN_ENDED if it was withdrawn or expired without a decision
 */
export async function waitForDecision(client: Caller, id: string): Promise<PoolJoin> {
  for (;;) {
    const { join } = await perform(client, pool.status, {});
    if (join?.id !== id) throw new Problem('gone', 'JOIN_ENDED', 'The join request no longer exists.');
    if (join.status === 'approved') return join;
    refuseEnded(join);
    await sleep(EVERY_MS);
  }
}

/** @throws Problem as `waitForDecision` */
export function refuseEnded({ status, reason }: PoolJoin): void {
  const why = reason === undefined ? '.' : `: ${reason}`;
  if (status === 'denied')
    throw new Problem('forbidden', 'JOIN_DENIED', `An administrator of the pool denied the join request${why}`);
  if (status === 'refused')
    throw new Problem('forbidden', 'JOIN_REFUSED', `The other node refused the join request${why}`);
  if (status === 'withdrawn' || status === 'expired')
    throw new Problem('gone', 'JOIN_ENDED', `The join request is ${status}${why}`);
}

/** One line for a change in the queue: text for people, or a JSON object. */
export function queueLine(screen: Unmeasured, event: QueueEvent, json: boolean): string {
  if (json) return escapedJson(event).replaceAll(/\n\s*/g, ' ');
  if (event.event === 'gone') return `${shortId(screen, event.nodeId)}  is no longer pending`;
  const { nodeId, fingerprint, receivedAt, message } = event.node;
  const words = fingerprint.words.slice(0, 4).join(' ');
  return [shortId(screen, nodeId), words, moment(screen, receivedAt), message]
    .map(escapeForTerminal)
    .join('  ')
    .trimEnd();
}
