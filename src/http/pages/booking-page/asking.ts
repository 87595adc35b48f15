import type { Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Implementation } from '../../../service/implement.ts';
import type { appointments } from '../../../contract/calendar/appointments.ts';
import { booking } from '../../../contract/calendar/booking.ts';
import type { PublicPage } from '../../../contract/calendar/booking-fields.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { checkInput } from '../../input.ts';

/** The part of the calendar that the pages show. */
export type BookingService = Implementation<typeof booking> & Implementation<typeof appointments>;

type Offer = PublicPage['appointmentTypes'][number];

/** @throws Problem missing NOT_FOUND */
export async function requirePublic(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  slug: string,
): Promise<PublicPage> {
  const input = checkInput(booking.showBookingPage, { slug }) as InputOf<typeof booking.showBookingPage>;
  return (await service.showBookingPage(ctx, guest, input)).page;
}

/** The kind of appointment that an address names; the only one of a page need not be named. */
export function shownType({ appointmentTypes: offers }: PublicPage, named: string | undefined): Offer | undefined {
  if (named === undefined) return offers.length === 1 ? offers[0] : undefined;
  return offers.find(({ id, name }) => id === named || name === named);
}
