import type { Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { booking } from '../../../contract/calendar/booking.ts';
import type { PublicPage, Slot } from '../../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { checkInput } from '../../input.ts';
import type { Html } from '../reference/html.ts';
import type { BookingService } from './asking.ts';
import { today, WEEK, weekMarkup } from './times.ts';

interface Wanted {
  /** id or name of the kind of appointment */
  readonly offer: string;
  /** where the links lead, and what they say besides */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly date: string | undefined;
  readonly timezone: string;
}

/** The free times of a week. @throws Problem invalid VALIDATION_ERROR for a day or zone that is none */
export async function weekOf(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  page: PublicPage,
  { offer, path, query, date: given, timezone }: Wanted,
): Promise<Html> {
  const ask = async (date: string | undefined, days: number): Promise<ReplyOf<typeof booking.listSlots>> => {
    const asked = { slug: page.slug, appointmentType: offer, timezone, days, ...(date !== undefined && { date }) };
    return await service.listSlots(
      ctx,
      guest,
      checkInput(booking.listSlots, asked) as InputOf<typeof booking.listSlots>,
    );
  };
  const first = await ask(given, WEEK);
  const now = today(ctx.clock.now(), first.timezone);
  const date = given ?? now;
  const found = given === undefined ? await ask(date, WEEK) : first;
  const next: Slot | undefined =
    found.slots.length > 0 ? undefined : (await ask(date, bookingLimits.slotDays)).slots[0];
  return weekMarkup({ path, query, date, today: now, timezone: first.timezone, days: found.days, next });
}
