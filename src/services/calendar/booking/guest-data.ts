import { randomUUID } from 'node:crypto';
import type { Context } from '../../../service/context.ts';
import type { Appointment } from '../../../contract/calendar/booking-fields.ts';
import { bookingStatuses, type BookingStatus, type Delivery } from '../../../contract/calendar/limits.ts';
import { constantTimeEqual, toHex, utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256, sha256Hex } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import { openJson, pageUrl, sealJson, type OpenPage } from './page-rows.ts';
import { ownUrl } from '../address.ts';

const TOKEN_BYTES = 32;

/** What is sealed of an appointment. */
export interface GuestData {
  readonly name: string;
  readonly email: string;
  readonly answers: Readonly<Record<string, string | boolean>>;
  readonly notes?: string | undefined;
  readonly guests: readonly string[];
  /** in which the guest sees its times */
  readonly timezone: string;
  /** what was booked, as it was called then */
  readonly typeName: string;
  readonly location?: string | undefined;
  readonly conferenceUri?: string | undefined;
  readonly uid: string;
  /** counts changes of its times */
  readonly sequence: number;
  readonly delivery: Delivery;
  /** for e-mail to the guest, and for a request that comes twice; whoever has it is found by its hash */
  readonly token: string;
  /** of the request, if it may come twice */
  readonly asked?: string | undefined;
  /** why it ended, and who said so: a guest who says something is not told it by e-mail from the host */
  readonly reason?: string | undefined;
  readonly reasonBy?: 'host' | 'guest' | undefined;
}

/** An appointment that is open, with its page. */
export interface OpenAppointment {
  readonly row: AppointmentRow;
  readonly data: GuestData;
  readonly page: OpenPage;
}

function purpose({ id }: Pick<AppointmentRow, 'id'>): string {
  return `appointment:${id}`;
}

export function sealGuest(
  ctx: Pick<Context, 'keys' | 'random'>,
  { row: page }: Pick<OpenPage, 'row'>,
  appointment: Pick<AppointmentRow, 'id'>,
  data: GuestData,
): Uint8Array {
  return sealJson(ctx, page, purpose(appointment), data);
}

export function openAppointment(ctx: Pick<Context, 'keys'>, page: OpenPage, row: AppointmentRow): OpenAppointment {
  return { row, page, data: openJson(ctx, page.row, purpose(row), row.sealed) as GuestData };
}

/** A token that nobody guesses, and what the store finds it by. */
export function newToken({ random }: Pick<Context, 'random'>): { token: string; hash: string } {
  const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  return { token, hash: hashOfToken(token) };
}

function hashOfToken(token: string): string {
  return sha256Hex(utf8(`appointment ${token}`));
}

export function isTokenOf({ token_hash: hash }: Pick<AppointmentRow, 'token_hash'>, token: string): boolean {
  return constantTimeEqual(utf8(hash), utf8(hashOfToken(token)));
}

export function newUid(): string {
  return randomUUID();
}

/** The address of a guest on a page, for counting: it can't be read back, nor compared with other pages. */
export function guestKeyOf({ keys }: Pick<Context, 'keys'>, pageId: string, email: string): string {
  const key = deriveKey(keys.wrap, 'conclave/calendar/guest/v1');
  return toHex(hmacSha256(key, utf8(`${pageId} ${email.normalize('NFKC').toLowerCase()}`)));
}

/** What the store has of a request that may come twice. */
export function requestHashOf(pageId: string, requestId: string): string {
  return sha256Hex(utf8(`booking ${pageId} ${requestId}`));
}

export function statusOf({ status }: Pick<AppointmentRow, 'status'>): BookingStatus {
  return bookingStatuses.find((one) => one === status) ?? 'cancelled';
}

/** Where the guest sees, moves and cancels it. */
export function manageUrl(ctx: Pick<Context, 'config' | 'instance'>, { row, data, page }: OpenAppointment): string {
  return `${pageUrl(ctx, page.row.slug)}/${row.id}?token=${data.token}`;
}

export function icsUrl(ctx: Pick<Context, 'config' | 'instance'>, { row, data }: OpenAppointment): string {
  return `${ownUrl(ctx)}/api/cal/booking/appointments/${row.id}/ics?token=${data.token}`;
}

interface Told {
  /** whether an event of the host takes its time; guests are not told */
  readonly conflict?: boolean;
  /** whom the guest meets */
  readonly hostName?: string;
}

export function toAppointment(
  { row, data, page }: OpenAppointment,
  { conflict = false, hostName }: Told = {},
): Appointment {
  const { name, email, answers, notes, guests, timezone, typeName, uid, location, conferenceUri, delivery } = data;
  const { reason = '' } = data;
  const status = statusOf(row);
  return {
    id: row.id,
    page: page.row.slug,
    ...(hostName !== undefined && { host: { displayName: hostName } }),
    status,
    startTime: new Date(row.start_at).toISOString(),
    endTime: new Date(row.end_at).toISOString(),
    timezone,
    appointmentType: typeName,
    appointmentTypeId: row.type_id,
    bookerName: name,
    bookerEmail: email,
    answers,
    ...(notes !== undefined && { notes }),
    ...(reason !== '' && { reason }),
    guests: [...guests],
    eventUid: uid,
    ...(location !== undefined && { location }),
    ...(conferenceUri !== undefined && status === 'confirmed' && { conferenceUri }),
    delivery,
    dateCreated: new Date(row.created_at).toISOString(),
    ...(conflict && { conflict: true as const }),
  };
}
