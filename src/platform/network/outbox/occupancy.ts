import { sql } from 'kysely';
import { Problem } from '../../../base/problem.ts';
import type { Database, Db } from '../../store/database.ts';
import { recordId } from '../../store/record-id.ts';
import type { OutboxLimits } from './limits.ts';
import type { SendingTransaction } from '../../../service/ports/outbox.ts';

interface Amount {
  messages: number;
  bytes: number;
}

/**
 * What this process knows of the outbox: how full it is, and the last place in it. It is counted in memory, because counting in each
 * transaction that sends would make all of them collide on PostgreSQL. So with several processes the limits can be exceeded a little.
 */
export interface Occupancy {
  /**
   * Takes room for a message, and returns its place, which sorts after all places that this process has given out.
   * @throws Problem tooMany OUTBOX_FULL
   */
  take(tx: SendingTransaction, nodeId: string, bytes: number): Promise<string>;
  /** the messages are no longer in the outbox */
  leave(nodeId: string, sizes: readonly number[]): void;
  /** counts anew */
  count(store: Database): Promise<void>;
}

interface State {
  readonly nodes: Map<string, Amount>;
  readonly total: Amount;
}

const TRIES = 5;

export function createOccupancy(limits: Pick<OutboxLimits, 'perNode' | 'total'>): Occupancy {
  let state: State | undefined;
  let last = '';
  let changes = 0;

  async function read(db: Db): Promise<State> {
    const rows = await db
      .selectFrom('outbox_messages')
      .select(['node_id', sql<number>`count(*)`.as('messages'), sql<number>`cast(sum(size) as bigint)`.as('bytes')])
      .select((e) => e.fn.max<string>('place').as('last'))
      .groupBy('node_id')
      .execute();
    const found: State = { nodes: new Map(), total: { messages: 0, bytes: 0 } };
    for (const row of rows) {
      const amount = { messages: row.messages, bytes: row.bytes };
      found.nodes.set(row.node_id, amount);
      add(found.total, amount);
      if (row.last > last) last = row.last;
    }
    return found;
  }

  /** Also after the clock was set back, a place sorts after the one before. */
  function nextPlace({ clock, random }: SendingTransaction): string {
    const fresh = recordId(clock.now(), random);
    last = fresh > last ? fresh : (BigInt(`0x${last}`) + 1n).toString(16).padStart(fresh.length, '0');
    return last;
  }

  return {
    async take(tx, nodeId, bytes) {
      // A transaction that is rolled back leaves its messages counted until the next count.
      state ??= await read(tx.db);
      const { nodes, total } = state;
      const own = nodes.get(nodeId) ?? { messages: 0, bytes: 0 };
      if (isFull(own, limits.perNode) || isFull(total, limits.total)) throw full();
      nodes.set(nodeId, own);
      for (const amount of [own, total]) add(amount, { messages: 1, bytes });
      changes += 1;
      return nextPlace(tx);
    },
    leave(nodeId, sizes) {
      const own = state?.nodes.get(nodeId);
      changes += 1;
      if (state === undefined || own === undefined) return;
      for (const size of sizes) for (const amount of [own, state.total]) add(amount, { messages: -1, bytes: -size });
      if (own.messages <= 0) state.nodes.delete(nodeId);
    },
    async count(store) {
      let counted: State | undefined;
      // What comes or goes during the count may be in it or not, so it is repeated.
      for (let tried = 0, before = -1; tried < TRIES && before !== changes; tried += 1) {
        before = changes;
        counted = await read(store.db);
      }
      state = counted;
    },
  };
}

function add(amount: Amount, { messages, bytes }: Readonly<Amount>): void {
  amount.messages = Math.max(0, amount.messages + messages);
  amount.bytes = Math.max(0, amount.bytes + bytes);
}

function isFull(amount: Amount, most: Readonly<Amount>): boolean {
  return amount.messages >= most.messages || amount.bytes >= most.bytes;
}

function full(): Problem {
  return new Problem(
    'tooMany',
    'OUTBOX_FULL',
    'Too many messages wait to be sent to other nodes. See conclave pool outbox, and try again later.',
  );
}
