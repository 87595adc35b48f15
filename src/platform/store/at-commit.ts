import type { Db } from './database.ts';
import { sessionOf } from './executor.ts';

/**
 * Runs a statement at the end of the transaction of `db`. PostgreSQL gets it together with the commit, so it costs no round trip. If it
 * fails, the transaction fails. The body of the transaction does not see what it writes.
 * @param statement one statement without parameters; `bytesLiteral` and `textLiteral` make its values
 */
export async function runAtCommit(db: Db, statement: string): Promise<void> {
  await sessionOf(db).atCommit(statement);
}

/** Bytes as PostgreSQL reads them on connections of ours (see postgres/pool.ts): hex digits in quotes. */
export function bytesLiteral(bytes: Uint8Array): string {
  return `'\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}'::bytea`;
}

/** @throws RangeError when a text has anything but digits and small letters */
export function textLiteral(text: string): string {
  if (!/^[0-9a-z]*$/.test(text)) throw new RangeError('only digits and small letters can stand in a statement');
  return `'${text}'`;
}
