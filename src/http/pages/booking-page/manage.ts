import type { Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Implementation } from '../../../service/implement.ts';
import { Problem } from '../../../base/problem.ts';
import type { bookingPages } from '../../../contract/booking-page.ts';
import { appointments } from '../../../contract/calendar/appointments.ts';
import type { Appointment, PublicPage } from '../../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { checkInput } from '../../input.ts';
import { html, nothing, type Html } from '../reference/html.ts';
import { requirePublic, shownType, type BookingService } from './asking.ts';
import { layout, notice, paragraph } from './layout.ts';
import { readForm } from './read-form.ts';
import { address, momentMarkup, shownZone } from './times.ts';
import { weekOf } from './week.ts';

type Manage = Pick<Implementation<typeof bookingPages>, 'showAppointment' | 'changeAppointment'>;

interface Answers {
  readonly respond: (status: number, body: string) => Response;
  readonly redirect: (to: string) => Response;
}

/** The page of an appointment, for its guest. */
export function manageServices(service: BookingService, { respond, redirect }: Answers): Manage {
  return {
    async showAppointment(ctx, guest, input) {
      const { appointment: one, token } = await requireIt(ctx, guest, service, input);
      return respond(200, await shownPage(ctx, guest, service, one, token, input));
    },
    async changeAppointment(ctx, guest, { slug, appointment: id }, upload) {
      const filled = await readForm(upload);
      const { token = '', action = '', start: startTime = '', reason = '' } = filled;
      const { appointment: one } = await requireIt(ctx, guest, service, { slug, appointment: id, token });
      const path = address(pathOf(one), { token });
      try {
        if (action === 'cancel') await cancel(ctx, guest, service, { id, token, reason });
        else if (action === 'reschedule') await move(ctx, guest, service, { id, token, startTime });
        return redirect(path);
      } catch (error) {
        if (!(error instanceof Problem) || !['invalid', 'conflict'].includes(error.kind)) throw error;
        const said = notice('This was not possible', error.message);
        const status = error.kind === 'invalid' ? 400 : 409;
        return respond(status, layout({ title: titleOf(one), main: html`${said}${factsOf(one, token)}` }));
      }
    },
  };
}

interface Named {
  readonly slug: string;
  readonly appointment: string;
  readonly token?: string | undefined;
}

/** Who has no token is told no more than who has a wrong one. @throws Problem missing NOT_FOUND */
async function requireIt(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  { slug, appointment: id, token = '' }: Named,
): Promise<{ appointment: Appointment; token: string }> {
  const isId = /^[0-9a-f]{32}$/i.test(id);
  if (!isId) throw nothingHere();
  const input = checkInput(appointments.showAppointment, { id, token }) as InputOf<typeof appointments.showAppointment>;
  const { appointment } = await service.showAppointment(ctx, guest, input);
  if (appointment.page !== slug) throw nothingHere();
  return { appointment, token };
}

function nothingHere(): Problem {
  return new Problem('missing', 'NOT_FOUND', 'There is no such appointment.');
}

async function cancel(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  given: Record<string, string>,
): Promise<void> {
  const input = checkInput(appointments.cancelAppointment, given) as InputOf<typeof appointments.cancelAppointment>;
  await service.cancelAppointment(ctx, guest, input);
}

async function move(ctx: Context, guest: Guest, service: BookingService, given: Record<string, string>): Promise<void> {
  const input = checkInput(appointments.rescheduleAppointment, given);
  await service.rescheduleAppointment(ctx, guest, input as InputOf<typeof appointments.rescheduleAppointment>);
}

function pathOf({ page, id }: Appointment): string {
  return `/book/${page}/${id}`;
}

function titleOf({ appointmentType }: Appointment): string {
  return `Your appointment: ${appointmentType}`;
}

type Shown = InputOf<(typeof bookingPages)['showAppointment']>;

async function shownPage(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  one: Appointment,
  token: string,
  { action, date, start, timezone = one.timezone }: Shown,
): Promise<string> {
  const facts = factsOf(one, token);
  const isOpen = one.status !== 'cancelled' && one.status !== 'rejected' && Date.parse(one.endTime) > ctx.clock.now();
  if (!isOpen) return layout({ title: titleOf(one), main: facts });
  if (action === 'cancel')
    return layout({ title: 'Cancel the appointment', main: html`${facts}${cancelForm(one, token)}` });
  if (action !== 'reschedule') return layout({ title: titleOf(one), main: html`${facts}${links(one, token)}` });
  const title = 'Move the appointment';
  if (start !== undefined) return layout({ title, main: html`${facts}${moveForm(one, token, { start, timezone })}` });
  const page = await offering(ctx, guest, service, one);
  if (page === undefined)
    return layout({
      title,
      main: html`${notice('This was not possible', 'It is not offered any more, and stays where it is.')}
      ${facts}${links(one, token)}`,
    });
  const query = { token, action };
  const [path, offer] = [pathOf(one), one.appointmentTypeId];
  const week = await weekOf(ctx, guest, service, page, { offer, path, query, date, timezone });
  return layout({
    title,
    main: html`${facts}
      <h2>Choose another time</h2>
      ${week}`,
  });
}

/** The page, if it still has this kind of appointment. */
async function offering(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  { page: slug, appointmentTypeId: id }: Appointment,
): Promise<PublicPage | undefined> {
  try {
    const page = await requirePublic(ctx, guest, service, slug);
    return shownType(page, id) === undefined ? undefined : page;
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'missing') throw error;
    return undefined;
  }
}

const words: Readonly<Record<Appointment['status'], string>> = {
  confirmed: 'It is booked.',
  pending: 'The host has to confirm it.',
  cancelled: 'It was cancelled.',
  rejected: 'The host could not confirm it.',
};

function factsOf(one: Appointment, token: string): Html {
  const {
    appointmentType,
    status,
    startTime,
    timezone,
    location,
    conferenceUri,
    bookerName,
    bookerEmail,
    notes,
    reason,
  } = one;
  const row = (name: string, value: Html | string | undefined): Html =>
    value === undefined || value === ''
      ? nothing
      : html`<dt>${name}</dt>
          <dd>${value}</dd>`;
  const isOpen = status === 'confirmed' || status === 'pending';
  return html`<h1>${appointmentType}</h1>
    <p class="notice" role="status">${words[status]}</p>
    <dl>
      ${row('With', one.host?.displayName)} ${row('When', momentMarkup(startTime, timezone))}
      ${row('Time zone', timezone)} ${row('Where', location)} ${row('Why', reason)}
      ${row('Join', conferenceUri === undefined ? undefined : html`<a href="${conferenceUri}">${conferenceUri}</a>`)}
      ${row('Booked by', `${bookerName}, ${bookerEmail}`)} ${row('Also come', one.guests.join(', '))}
    </dl>
    ${paragraph(notes)} ${isOpen ? deliveryOf(one, token) : nothing}`;
}

/** Whom nothing reaches by mail has the page alone. */
function deliveryOf({ id, delivery, bookerEmail }: Appointment, token: string): Html {
  const ics = address(`/api/cal/booking/appointments/${id}/ics`, { token });
  const told =
    delivery !== 'NO_ROUTE'
      ? html`<p>A message about it goes to ${bookerEmail}.</p>`
      : html`<p>
          No e-mail comes to ${bookerEmail} from here. Keep the address of this page: with it you can move or cancel the
          appointment.
        </p>`;
  return html`${told}
    <p><a class="button" href="${ics}" download="appointment.ics">Save for your calendar (.ics)</a></p>`;
}

function links(one: Appointment, token: string): Html {
  const link = (action: string) => address(pathOf(one), { token, action });
  return html`<nav aria-label="Change the appointment" class="row">
    <a class="button" href="${link('reschedule')}">Move it</a>
    <a class="button" href="${link('cancel')}">Cancel it</a>
  </nav>`;
}

function cancelForm(one: Appointment, token: string): Html {
  return html`<h2>Cancel this appointment?</h2>
    <form method="post" action="${pathOf(one)}">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="action" value="cancel" />
      <div class="field">
        <label for="reason">Why (optional)</label>
        <textarea id="reason" name="reason" maxlength="${bookingLimits.answer}"></textarea>
      </div>
      <button>Cancel the appointment</button>
    </form>
    <p><a href="${address(pathOf(one), { token })}">Keep it</a></p>`;
}

/** @throws Problem invalid VALIDATION_ERROR for a time that is none */
function moveForm(
  one: Appointment,
  token: string,
  { start, timezone }: { readonly start: string; readonly timezone: string },
): Html {
  const { id } = one;
  checkInput(appointments.rescheduleAppointment, { id, token, startTime: start });
  return html`<h2>Move it to this time?</h2>
    <p>${momentMarkup(start, shownZone(timezone, one.timezone))}</p>
    <form method="post" action="${pathOf(one)}">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="action" value="reschedule" />
      <input type="hidden" name="start" value="${start}" />
      <button>Move the appointment</button>
    </form>
    <p><a href="${address(pathOf(one), { token, action: 'reschedule' })}">Choose another time</a></p>`;
}
