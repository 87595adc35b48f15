import { CompiledQuery, type QueryResult } from 'kysely';
import type { Session } from '../executor.ts';
import type { Connection, Outcome } from './connection.ts';

export interface Signal {
  readonly channel: string;
  readonly payload: string;
}

/** One transaction while its body runs. */
export interface RunningTransaction {
  readonly session: Session;
  /** sent after the commit */
  readonly signals: readonly Signal[];
  /** the error of its first failed statement */
  readonly failure: { readonly error: unknown } | undefined;
  /** After this call the transaction takes no more statements. */
  end(): void;
}

export function queryResult({ rows, changes }: Outcome): QueryResult<unknown> {
  return { rows, numAffectedRows: BigInt(changes) };
}

export function runningTransaction(connection: Connection, onStatement: () => void): RunningTransaction {
  const signals: Signal[] = [];
  let failure: { error: unknown } | undefined;
  let ended = false;

  function check(): void {
    if (ended) throw new Error('this transaction has ended; its handle is good only inside its body');
    // PostgreSQL refuses every statement after a failed one. So does this engine: a body can't ignore a failure.
    if (failure) throw failure.error;
  }

  return {
    signals,
    get failure() {
      return failure;
    },
    end() {
      ended = true;
    },
    session: {
      async execute({ sql, parameters }) {
        check();
        onStatement();
        try {
          return queryResult(connection.run(sql, parameters));
        } catch (error) {
          failure = { error };
          throw error;
        }
      },
      // The statements of a group are not round trips.
      async atCommit(statement) {
        await this.execute(CompiledQuery.raw(statement));
      },
      async savepoint(body) {
        const command = async (text: string) => void (await this.execute(CompiledQuery.raw(text)));
        const before = signals.length;
        await command('savepoint part');
        try {
          const value = await body();
          await command('release part');
          return value;
        } catch (error) {
          // A failed statement ends the whole transaction, so this throws then.
          await command('rollback to part');
          await command('release part');
          signals.length = before;
          throw error;
        }
      },
      async notify(channel, payload) {
        check();
        // As in PostgreSQL, equal signals of one transaction are sent once.
        if (!signals.some((signal) => signal.channel === channel && signal.payload === payload))
          signals.push({ channel, payload });
      },
    },
  };
}
