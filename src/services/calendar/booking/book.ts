import type { Guest } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { booking } from '../../../contract/calendar/booking.ts';
import type { AppointmentType } from '../../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { canonicalJsonBytes } from '../../../crypto/canonical-json.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { requireZone } from '../zones.ts';
import {
  guestKeyOf,
  icsUrl,
  manageUrl,
  newToken,
  newUid,
  openAppointment,
  requestHashOf,
  sealGuest,
  toAppointment,
  type GuestData,
  type OpenAppointment,
} from './guest-data.ts';
import { putEvent } from './guest-event.ts';
import { deliveryTo } from '../../mail/sending/calendar-mail.ts';
import { planGuestMail } from './guest-mail.ts';
import { tellHost } from './notices.ts';
import { checkedAnswers } from './page-input.ts';
import { pageById, requirePublicPage, type OpenPage, type PublicOpenPage } from './page-rows.ts';
import { lockHost, slotTaken, takeTime } from './reserve.ts';

type Contract = typeof booking;
type Given = InputOf<Contract['bookAppointment']>;
type Reply = ReplyOf<Contract['bookAppointment']>;

const HOUR = 3_600_000;

/** @throws Problem as the operation */
export async function book(ctx: Context, _guest: Guest, input: Given): Promise<Reply> {
  try {
    return await transaction(ctx, async (tx) => await bookIn(tx, input));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // The same request came twice at once, or somebody else was faster: whoever tries again sees which.
    if (input.requestId === undefined || !error.columns.includes('request_hash')) throw slotTaken();
    return await transaction(ctx, async (tx) => await bookIn(tx, input));
  }
}

/** A kind of appointment that a page offers, by its name or id. @throws Problem invalid VALIDATION_ERROR */
export function requireType({ settings }: OpenPage, named: string): AppointmentType {
  const key = named.normalize('NFKC').toLowerCase();
  const type = settings.appointmentTypes.find(
    ({ id, name, active }) => active && (id === key || name.normalize('NFKC').toLowerCase() === key),
  );
  if (type === undefined) throw fieldProblem('appointmentType', 'is no kind of appointment of this page');
  return type;
}

async function bookIn(tx: Context, input: Given): Promise<Reply> {
  const first = await requirePublicPage(tx, input.slug);
  await lockHost(tx, first);
  const page = await requirePublicPage(tx, input.slug);
  const asked = askedOf(input);
  const { id: pageId } = page.row;
  const requestHash = input.requestId === undefined ? null : requestHashOf(pageId, input.requestId);
  const earlier = requestHash === null ? undefined : await earlierOf(tx, requestHash, asked);
  if (earlier !== undefined) return toReply(tx, earlier, page.host.username);
  const type = requireType(page, input.appointmentType);
  const answers = checkedAnswers(type, input.answers);
  const timezone = input.timezone === undefined ? page.settings.timezone : requireZone(input.timezone, 'timezone');
  const guestKey = guestKeyOf(tx, pageId, input.bookerEmail);
  await assertNoFlood(tx, pageId, guestKey);
  const time = await takeTime(tx, page, type, Date.parse(input.startTime));
  const { token, hash } = newToken(tx);
  const data: GuestData = {
    name: input.bookerName,
    email: input.bookerEmail,
    answers,
    notes: input.notes,
    guests: input.guests ?? [],
    timezone,
    typeName: type.name,
    location: type.location,
    conferenceUri: type.conferenceUri,
    uid: newUid(),
    sequence: 0,
    delivery: await deliveryTo(tx, input.bookerEmail),
    token,
    asked,
  };
  const open = await insert(tx, page, { type, time, data, guestKey, requestHash, tokenHash: hash });
  await tellHost(tx, open, 'booked');
  await planGuestMail(tx, open, 'booked');
  return toReply(tx, open, page.host.username);
}

interface NewAppointment {
  readonly type: AppointmentType;
  readonly time: Awaited<ReturnType<typeof takeTime>>;
  readonly data: GuestData;
  readonly guestKey: string;
  readonly requestHash: string | null;
  readonly tokenHash: string;
}

async function insert(
  tx: Context,
  page: PublicOpenPage,
  { type, time, data, guestKey, requestHash, tokenHash }: NewAppointment,
): Promise<OpenAppointment> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const { calendarId = '' } = page.settings;
  const row: AppointmentRow = {
    id,
    host_id: page.row.owner_id,
    page_id: page.row.id,
    type_id: type.id,
    status: type.requiresConfirmation ? 'pending' : 'confirmed',
    ...time,
    calendar_id: calendarId,
    object_id: '',
    token_hash: tokenHash,
    request_hash: requestHash,
    guest_key: guestKey,
    created_at: now,
    modified_at: now,
    sealed: sealGuest(tx, page, { id }, data),
  };
  const { id: objectId, calendar_id: placed } = await withinQuota(async () => await putEvent(tx, { row, data, page }));
  const written = { ...row, calendar_id: placed, object_id: objectId };
  await insertRows(tx.db, 'appointments', [written]);
  return { row: written, data, page };
}

/** What the host has used up is no matter of the guest. */
export async function withinQuota<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const full = error instanceof Problem && ['STORAGE_QUOTA_EXCEEDED', 'EVENTS_FULL'].includes(error.code);
    if (!full) throw error;
    const message = 'This page takes no bookings at the moment. Ask its host.';
    throw new Problem('conflict', 'SLOT_UNAVAILABLE', message, { cause: error });
  }
}

const byRequest = writtenQuery<AppointmentRow>('select * from appointments where request_hash = $1');

/** What the same request did before. @throws Problem conflict IDEMPOTENCY_KEY_REUSED if it asked for something else */
async function earlierOf(tx: Context, requestHash: string, asked: string): Promise<OpenAppointment | undefined> {
  const [row] = (await tx.db.executeQuery(byRequest(requestHash))).rows;
  const page = row === undefined ? undefined : await pageById(tx, row.page_id);
  if (row === undefined || page === undefined) return undefined;
  const open = openAppointment(tx, page, row);
  if (open.data.asked === asked) return open;
  const message = 'This requestId was used for another booking. Send a new one.';
  throw new Problem('conflict', 'IDEMPOTENCY_KEY_REUSED', message);
}

function askedOf({
  appointmentType,
  startTime,
  bookerName,
  bookerEmail,
  answers,
  notes = '',
  guests = [],
}: Given): string {
  const at = Date.parse(startTime);
  const what = { appointmentType, at, bookerName, bookerEmail, answers, notes, guests };
  return sha256Hex(utf8('booking '), canonicalJsonBytes(what));
}

const recent = writtenQuery<{ count: number; first: number | null }>(
  'select count(*) as count, min(created_at) as first from appointments where page_id = $1 and created_at > $2',
);
const openOnes = writtenQuery<{ count: number; first: number | null }>(`
  select count(*) as count, min(end_at) as first from appointments
  where page_id = $1 and guest_key = $2 and seat is not null and end_at > $3`);

/** @throws Problem tooMany RATE_LIMITED */
async function assertNoFlood(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  pageId: string,
  guestKey: string,
): Promise<void> {
  const now = clock.now();
  const lately = onlyRow((await db.executeQuery(recent(pageId, now - HOUR))).rows);
  if (lately.count >= bookingLimits.perHour) throw tooMany((lately.first ?? now) + HOUR - now);
  const open = onlyRow((await db.executeQuery(openOnes(pageId, guestKey, now))).rows);
  if (open.count >= bookingLimits.open) throw tooMany(HOUR);
}

/** One text for both: it doesn't say who else has booked. */
function tooMany(ms: number): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000));
  const message = 'This page takes no more bookings from you for now. Try again later, or ask its host.';
  return new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds });
}

function toReply(ctx: Context, open: OpenAppointment, hostName: string): Reply {
  const { delivery, token } = open.data;
  return {
    appointment: toAppointment(open, { hostName }),
    manageToken: token,
    manageUrl: manageUrl(ctx, open),
    icsUrl: icsUrl(ctx, open),
    delivery,
  };
}
