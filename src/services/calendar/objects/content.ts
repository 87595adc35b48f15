import { createHmac } from 'node:crypto';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { fromUtf8, toHex, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';

/** Whose content it is: it opens at this place alone. */
type Place = Pick<CalendarObjectRow, 'id' | 'calendar_id'>;
type What = 'object' | 'octets';

function purpose(what: What, { id, calendar_id: calendarId }: Place): Uint8Array {
  return utf8(`calendar-${what}:${calendarId}:${id}`);
}

/** @param key of the calendar, 32 bytes */
export function sealContent(
  { random }: Pick<Context, 'random'>,
  key: Uint8Array,
  place: Place,
  what: What,
  text: string,
): Uint8Array {
  return sealWithKey(key, utf8(text), purpose(what, place), random);
}

/** @throws Problem internal STORE_DAMAGED */
export function openContent(key: Uint8Array, row: Place & Pick<CalendarObjectRow, 'sealed'>): JcalComponent {
  return JSON.parse(openText(key, row)) as JcalComponent;
}

/** The same as the JSON that was sealed. @throws Problem internal STORE_DAMAGED */
export function openText(key: Uint8Array, row: Place & Pick<CalendarObjectRow, 'sealed'>): string {
  return opened(key, row, 'object', row.sealed);
}

/** The text as a program sent it. @throws Problem internal STORE_DAMAGED */
export function openOctets(key: Uint8Array, row: Place, octets: Uint8Array): string {
  return opened(key, row, 'octets', octets);
}

function opened(key: Uint8Array, place: Place, what: What, sealed: Uint8Array): string {
  try {
    return fromUtf8(openWithKey(key, sealed, purpose(what, place)));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'An event does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  }
}

/** Derived once from the keys of a node, and there as long as they are. */
const uidSecrets = new WeakMap<Context['keys'], Uint8Array>();

/** What the index has of a UID, which may be long, and may name somebody: the same in all calendars, and nothing to whoever lacks the secret of the node. */
export function uidKeyOf({ keys }: Pick<Context, 'keys'>, uid: string): string {
  const secret = uidSecrets.get(keys) ?? deriveKey(keys.wrap, 'conclave/calendar/uid/v1');
  uidSecrets.set(keys, secret);
  return createHmac('sha256', secret).update(uid).digest('hex').slice(0, 32);
}

/** The entity tag of an object says nothing of what is in it. Each change makes another one, also a change back. */
export function newEtag({ random }: Pick<Context, 'random'>): string {
  return toHex(random(16));
}

/**
 * Entity tags of objects that nobody changes but the file which they come from: with the same content it is the same one, so that what has
 * not changed need not be opened. It says nothing to whoever lacks the key of the calendar.
 */
export interface Fingerprints {
  /** @param text as it is sealed */
  of(uidKey: string, text: string): string;
  [Symbol.dispose](): void;
}

/** Dispose of them when they are of no more use. @param key of the calendar, 32 bytes */
export function openFingerprints(key: Uint8Array): Fingerprints {
  const secret = deriveKey(key, 'conclave/calendar/fingerprint/v1');
  return {
    of: (uidKey, text) => createHmac('sha256', secret).update(uidKey).update(text).digest('hex').slice(0, 32),
    [Symbol.dispose]: () => void secret.fill(0),
  };
}
