import type { Context } from '../../../service/context.ts';
import type { AppointmentType, BookingPage, PublicPage } from '../../../contract/calendar/booking-fields.ts';
import { Problem } from '../../../base/problem.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { BookingPageRow } from '../../../platform/store/tables/booking.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { openContentKey } from '../../../shared/content-keys/content-keys.ts';
import { notThere } from '../access.ts';
import { ownUrl } from '../address.ts';

/** What is sealed of a page. */
export interface PageSettings {
  readonly title: string;
  readonly description: string;
  readonly timezone: string;
  readonly calendarId?: string | undefined;
  readonly conflictCalendarIds?: readonly string[] | undefined;
  readonly appointmentTypes: readonly AppointmentType[];
  readonly minNoticeMinutes: number;
  readonly maxAdvanceDays: number;
  readonly maxPerDay?: number | undefined;
}

/** A page that is open. */
export interface OpenPage {
  readonly row: BookingPageRow;
  readonly settings: PageSettings;
}

export function pageKeyPurpose(id: string): string {
  return `booking-page:${id}`;
}

/** The key of a page and of what its guests say. Overwrite it after use. @throws Problem internal STORE_DAMAGED */
function openPageKey(
  ctx: Pick<Context, 'keys'>,
  { id, content_key: sealed }: Pick<BookingPageRow, 'id' | 'content_key'>,
): Uint8Array {
  return openContentKey(ctx, sealed, pageKeyPurpose(id), 'a booking page');
}

/** @param purpose kind and id of what it is: it opens there alone */
export function sealJson(
  ctx: Pick<Context, 'keys' | 'random'>,
  page: Pick<BookingPageRow, 'id' | 'content_key'>,
  purpose: string,
  what: unknown,
): Uint8Array {
  const key = openPageKey(ctx, page);
  try {
    return sealWithKey(key, utf8(JSON.stringify(what)), utf8(purpose), ctx.random);
  } finally {
    key.fill(0);
  }
}

/** @throws Problem internal STORE_DAMAGED */
export function openJson(
  ctx: Pick<Context, 'keys'>,
  page: Pick<BookingPageRow, 'id' | 'content_key'>,
  purpose: string,
  sealed: Uint8Array,
): unknown {
  const key = openPageKey(ctx, page);
  try {
    return JSON.parse(fromUtf8(openWithKey(key, sealed, utf8(purpose)))) as unknown;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'A booking page does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  } finally {
    key.fill(0);
  }
}

export function settingsPurpose(id: string): string {
  return `booking-settings:${id}`;
}

export function openPage(ctx: Pick<Context, 'keys'>, row: BookingPageRow): OpenPage {
  const settings = openJson(ctx, row, settingsPurpose(row.id), row.sealed) as PageSettings;
  return { row, settings };
}

const bySlug = writtenQuery<BookingPageRow>('select * from booking_pages where slug = $1 and deleted_at is null');
const byId = writtenQuery<BookingPageRow>('select * from booking_pages where id = $1');

/** A page of the member. @throws Problem missing NOT_FOUND also for one of somebody else */
export async function requireOwnPage(
  ctx: Pick<Context, 'db' | 'keys'>,
  memberId: string,
  slug: string,
): Promise<OpenPage> {
  const [row] = (await ctx.db.executeQuery(bySlug(slug))).rows;
  if (row?.owner_id !== memberId) throw notThere('booking page');
  return openPage(ctx, row);
}

/** The page of an appointment, also of one that was deleted. */
export async function pageById(ctx: Pick<Context, 'db' | 'keys'>, id: string): Promise<OpenPage | undefined> {
  const [row] = (await ctx.db.executeQuery(byId(id))).rows;
  return row === undefined ? undefined : openPage(ctx, row);
}

const hostBy = writtenQuery<Host>("select id, username from members where id = $1 and status = 'active'");

export interface Host {
  readonly id: string;
  readonly username: string;
}

/** A host who is here; undefined for one who is suspended or gone. */
export async function activeHost({ db }: Pick<Context, 'db'>, id: string): Promise<Host | undefined> {
  const { rows } = await db.executeQuery(hostBy(id));
  return rows[0];
}

export interface PublicOpenPage extends OpenPage {
  readonly host: Host;
}

/** A page that guests see. @throws Problem missing NOT_FOUND also if it is switched off, or its host is suspended or gone */
export async function requirePublicPage(ctx: Pick<Context, 'db' | 'keys'>, slug: string): Promise<PublicOpenPage> {
  const [row] = (await ctx.db.executeQuery(bySlug(slug))).rows;
  const host = row === undefined || row.active === 0 ? undefined : await activeHost(ctx, row.owner_id);
  if (row === undefined || host === undefined) throw noPage();
  return { ...openPage(ctx, row), host };
}

function noPage(): Problem {
  return new Problem('missing', 'NOT_FOUND', 'There is no such booking page.');
}

/** Where guests book. */
export function pageUrl(ctx: Pick<Context, 'config' | 'instance'>, slug: string): string {
  return `${ownUrl(ctx)}/book/${slug}`;
}

export function toPage(ctx: Pick<Context, 'config' | 'instance'>, { row, settings }: OpenPage): BookingPage {
  const { calendarId, conflictCalendarIds: conflicts, maxPerDay } = settings;
  return {
    id: row.id,
    slug: row.slug,
    url: pageUrl(ctx, row.slug),
    title: settings.title,
    description: settings.description,
    timezone: settings.timezone,
    ...(calendarId !== undefined && { calendarId }),
    ...(conflicts !== undefined && { conflictCalendarIds: [...conflicts] }),
    appointmentTypes: [...settings.appointmentTypes],
    minNoticeMinutes: settings.minNoticeMinutes,
    maxAdvanceDays: settings.maxAdvanceDays,
    ...(maxPerDay !== undefined && { maxPerDay }),
    active: row.active === 1,
    dateCreated: new Date(row.created_at).toISOString(),
    dateModified: new Date(row.modified_at).toISOString(),
  };
}

/** What guests see: no ids of calendars or members, no caps, no kinds that are switched off. */
export function toPublicPage({ row, settings, host }: PublicOpenPage): PublicPage {
  return {
    slug: row.slug,
    title: settings.title,
    description: settings.description,
    timezone: settings.timezone,
    host: { displayName: host.username },
    appointmentTypes: settings.appointmentTypes.filter(({ active }) => active).map(toOffer),
    minNoticeMinutes: settings.minNoticeMinutes,
    maxAdvanceDays: settings.maxAdvanceDays,
  };
}

function toOffer(type: AppointmentType): PublicPage['appointmentTypes'][number] {
  const { id, name, description, durationMinutes, location, questions, seats, requiresConfirmation, color } = type;
  return {
    id,
    name,
    description,
    durationMinutes,
    ...(location !== undefined && { location }),
    questions,
    seats,
    requiresConfirmation,
    ...(color !== undefined && { color }),
  };
}
