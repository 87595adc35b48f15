import type { Context } from '../../service/context.ts';
import type { Database } from '../../platform/store/database.ts';
import { listen, notify } from '../../platform/store/signals.ts';
import { closeBotsOf, endBotsOf } from './bot-tokens.ts';

const CHANNEL = 'app_passwords_ended';
/** Ids of 32 digits, separated by spaces, stay below 8000 bytes in total. */
const IDS_PER_SIGNAL = 200;

/** Tells every process, after the commit of `tx`, that these app passwords have ended or work no more. */
export async function tellEnded(tx: Pick<Context, 'db'>, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += IDS_PER_SIGNAL)
    await notify(tx.db, CHANNEL, ids.slice(start, start + IDS_PER_SIGNAL).join(' '));
}

export interface AppPasswordWatch {
  /** Called with ids of app passwords (`Actor.appPassword`): connections that use one of them must close. */
  readonly onEnded: (ids: readonly string[]) => void;
  /** Called when ends may have been missed: each open connection calls `assertStillSignedIn` once. */
  readonly onGap: () => void;
}

/**
 * Hears of app passwords that end, in every process of the node, until disposed. It is for listeners with connections that stay open. An
 * expiry is told late, by the job that deletes expired rows, so such a listener also calls `assertStillSignedIn` before each command.
 */
export async function watchAppPasswords(
  store: Database,
  { onEnded, onGap }: AppPasswordWatch,
): Promise<AsyncDisposable> {
  return await listen(store, CHANNEL, (payload) => onEnded(payload.split(' ')), onGap);
}

/** Deletes all app passwords and bot tokens of a member. */
export async function endProgramsOf(tx: Context, memberId: string): Promise<void> {
  await endBotsOf(tx, memberId);
  const ended = await tx.db.deleteFrom('app_passwords').where('member_id', '=', memberId).returning('id').execute();
  await tellEnded(
    tx,
    ended.map(({ id }) => id),
  );
}

/** Closes the connections of a member's app passwords and bot tokens, which stay in the store. The member may not use them for now. */
export async function closeProgramsOf(tx: Context, memberId: string): Promise<void> {
  await closeBotsOf(tx, memberId);
  const rows = await tx.db.selectFrom('app_passwords').select('id').where('member_id', '=', memberId).execute();
  await tellEnded(
    tx,
    rows.map(({ id }) => id),
  );
}
