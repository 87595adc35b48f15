import { Problem } from '../../../base/problem.ts';
import { UniqueViolation } from '../violation.ts';

/** Two transactions collided. PostgreSQL reports this to one of them, and that one runs again. */
export class Collision extends Error {
  override readonly name = 'Collision';
}

/** The columns of a prepared statement's tables changed. The connection that prepared it is good for nothing more. */
export class StaleStatement extends Collision {}

/** SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const state = {
  collisions: ['40001', '40P01'],
  uniqueViolation: '23505',
  diskFull: '53100',
  corrupt: ['XX001', 'XX002'],
  lockNotAvailable: '55P03',
};
/** Connection exceptions, no more connections, operator intervention, wrong password, no such database. */
const unavailable = /^(?:08|53300|57P|28|3D000|25P03)/;
/** Node's error codes for sockets and name look-ups. */
const network = /^(?:ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_|EPIPE|ENOENT$|EACCES$)/;
/** pg reports these with a message and no code. */
const lostConnection =
  /^(?:Connection terminated|timeout exceeded|Client has encountered a connection error|The server does not support SSL)/i;

interface ServerError {
  readonly code?: string;
  readonly table?: string;
  readonly detail?: string;
  /** the function of the server that reported it */
  readonly routine?: string;
}

function storeUnavailable(code: string | undefined, cause?: unknown): Problem {
  return new Problem(
    'unavailable',
    'STORE_UNAVAILABLE',
    `The database cannot be reached${code === undefined ? '' : ` (${code})`}. Check that PostgreSQL runs and that its URL is right`,
    { cause },
  );
}

/** Reads `Key (username_key)=(ada) already exists.`, in any language of the server. The value must not leave this function. */
function violatedColumns(detail: string | undefined): string[] {
  const list = /\(([^()]+)\)=\(/.exec(detail ?? '')?.[1];
  return list === undefined ? [] : list.split(', ').map((name) => name.replaceAll('"', ''));
}

/** Turns an error of pg into an error of the store; unknown errors stay as they are. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Connecting to a name with several addresses gives an AggregateError with one error for each address.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  const { code, table, detail, routine } = error as ServerError;
  if (code === undefined) return lostConnection.test(error.message) ? storeUnavailable(undefined, error) : error;
  // Its code, "feature not supported", says less.
  if (routine === 'RevalidateCachedQuery') return new StaleStatement(error.message, { cause: error });
  if (state.collisions.includes(code)) return new Collision(error.message, { cause: error });
  // The original error is not kept as the cause: its detail holds the value, and a cause ends in a log.
  if (code === state.uniqueViolation) return new UniqueViolation(table ?? '', violatedColumns(detail));
  if (code === state.diskFull)
    return new Problem(
      'unavailable',
      'STORE_FULL',
      'The disk of the database is full. Nothing was saved. Free some space, then try again',
      {
        cause: error,
      },
    );
  if (code === state.lockNotAvailable)
    return new Problem('unavailable', 'STORE_BUSY', 'Another process holds what this one waits for. Try again', {
      cause: error,
    });
  if (state.corrupt.includes(code))
    return new Problem(
      'internal',
      'STORE_DAMAGED',
      'PostgreSQL reports that its files are damaged. Restore a backup of the database',
      {
        cause: error,
      },
    );
  return unavailable.test(code) || network.test(code) ? storeUnavailable(code, error) : error;
}
