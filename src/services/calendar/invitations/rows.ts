import { createHash } from 'node:crypto';
import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { CalendarInvitationRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Party } from '../itip/self.ts';
import { noVersions, type Versions } from '../itip/versions.ts';

/** By what an organizer or attendee is looked up. */
export function partyKey({ memberId, key }: Party): string {
  return createHash('sha256')
    .update(memberId ?? key)
    .digest('hex')
    .slice(0, 32);
}

export function sealText(
  { keys, random }: Pick<Context, 'keys' | 'random'>,
  purpose: string,
  text: string,
): Uint8Array {
  return sealWithKey(keys.wrap, utf8(text), utf8(purpose), random);
}

/** @throws Problem internal STORE_DAMAGED */
export function openText({ keys }: Pick<Context, 'keys'>, purpose: string, sealed: Uint8Array): string {
  try {
    return fromUtf8(openWithKey(keys.wrap, sealed, utf8(purpose)));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'An invitation does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  }
}

export function waitingPurpose(id: string): string {
  return `calendar-invitation:${id}`;
}

const ofEvent = writtenQuery<CalendarInvitationRow>(`
  select * from calendar_invitations where member_id = $1 and uid_key = $2 and organizer_key = $3`);
const byId = writtenQuery<CalendarInvitationRow>('select * from calendar_invitations where id = $1 and member_id = $2');
const ofObject = writtenQuery<CalendarObjectRow>(`
  select o.* from calendars c join calendar_objects o on o.calendar_id = c.id and o.uid_key = $1
  where c.owner_id = $2 order by o.created_at, o.id limit 1`);

export async function invitationTo(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  uidKey: string,
  organizer: Party,
): Promise<CalendarInvitationRow | undefined> {
  return (await db.executeQuery(ofEvent(memberId, uidKey, partyKey(organizer)))).rows[0];
}

export async function invitationById(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  id: string,
): Promise<CalendarInvitationRow | undefined> {
  return (await db.executeQuery(byId(id, memberId))).rows[0];
}

/** The object with a UID in a calendar of a member; of several the first one. */
export async function objectOf(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  uidKey: string,
): Promise<CalendarObjectRow | undefined> {
  return (await db.executeQuery(ofObject(uidKey, memberId))).rows[0];
}

const replacing = `
  on conflict (id) do update set object_id = excluded.object_id, status = excluded.status, known = excluded.known,
    sealed = excluded.sealed, updated_at = excluded.updated_at`;
const oldest = writtenQuery(`
  delete from calendar_invitations where id in (
    select id from calendar_invitations where member_id = $1 and status = $2 and object_id is null
    order by created_at desc, id desc limit 100 offset ${calendarLimits.waiting})`);

/** Writes what a member knows of an invitation. Of too many that are in no calendar the oldest go. */
export async function putInvitation({ db }: Pick<Context, 'db'>, row: CalendarInvitationRow): Promise<void> {
  await insertRows(db, 'calendar_invitations', [row], replacing);
  if (row.object_id === null) await db.executeQuery(oldest(row.member_id, row.status));
}

export function knownOf(row: Pick<CalendarInvitationRow, 'known'> | undefined): Versions {
  return row === undefined ? noVersions : (JSON.parse(row.known) as Versions);
}

const proposalsOf = writtenList(0, (ids) => `delete from calendar_proposals where object_id in ${ids}`);

/** Removes what is proposed about events that are gone. */
export async function removeProposals({ db }: Pick<Context, 'db'>, objectIds: readonly string[]): Promise<void> {
  if (objectIds.length > 0) await db.executeQuery(proposalsOf(objectIds));
}
