import type { QueryResult } from 'kysely';
import type { Session } from '../executor.ts';
import type { Connection, Outcome } from './connection.ts';

export interface Signal {
  readonly channel: string;
  readonly payload: string;
}

/** One transaction while its body runs. */
export interface RunningTransaction {
  readonly session: Session;
  /** to be sent after the commit */
  readonly signals: readonly Signal[];
  /** what its first failed statement met */
  readonly failure: { readonly error: unknown } | undefined;
  /** Takes no more statements. */
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
    // PostgreSQL refuses everything after a failed statement. Here as there, a body can't go on as if nothing had happened.
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
      async notify(channel, payload) {
        check();
        // As in PostgreSQL, equal signals of one transaction are one.
        if (!signals.some((signal) => signal.channel === channel && signal.payload === payload))
          signals.push({ channel, payload });
      },
    },
  };
}
