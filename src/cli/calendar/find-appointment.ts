import { Args } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Appointment } from '../../contract/calendar/booking-fields.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';

export const appointmentArgument = {
  appointment: Args.string({ description: 'eight or more digits of its id', required: true }),
};

/** An appointment with the member, by its id. @throws Problem missing NOT_FOUND, conflict AMBIGUOUS */
export async function findAppointment(client: Client, text: string): Promise<Appointment> {
  const missing = () => {
    const message = `There is no appointment ${JSON.stringify(text)}. To list yours, run: conclave calendar book`;
    return new Problem('missing', 'NOT_FOUND', message);
  };
  const all = async () => {
    const { items } = await collectPages(client, calendar.listAppointments, {}, 'appointments', { most: Infinity });
    return items.map(({ id, bookerName }) => ({ id, label: bookerName }));
  };
  const id = await idFrom(text, all, missing);
  return (await perform(client, calendar.showAppointment, { id })).appointment;
}
