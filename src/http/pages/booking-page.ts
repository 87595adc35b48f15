import type { Implementation } from '../../service/implement.ts';
import { createHash } from 'node:crypto';
import { FastResponse } from 'srvx';
import type { Guest } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { Upload } from '../../service/raw-bodies.ts';
import { Problem, problemKinds, type FieldProblem } from '../../base/problem.ts';
import type { bookingPages } from '../../contract/booking-page.ts';
import { booking } from '../../contract/calendar/booking.ts';
import type { PublicPage } from '../../contract/calendar/booking-fields.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { checkInput } from '../input.ts';
import { requirePublic, shownType, type BookingService } from './booking-page/asking.ts';
import { fieldOf, formMarkup, TRAP, type Filled } from './booking-page/form.ts';
import { checkFormToken, newFormToken } from './booking-page/form-token.ts';
import { layout, notice, paragraph, problemPage } from './booking-page/layout.ts';
import { manageServices } from './booking-page/manage.ts';
import { readForm } from './booking-page/read-form.ts';
import { style } from './booking-page/style.ts';
import { address, momentMarkup, shownZone, today } from './booking-page/times.ts';
import { weekOf } from './booking-page/week.ts';
import { html, nothing, type Html } from './reference/html.ts';

/** No script, nothing from elsewhere, no frames around it; its forms come back here. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentSecurityPolicy };

type Offer = PublicPage['appointmentTypes'][number];

/** The pages on which guests book, over the operations of the calendar. */
export function bookingPageServices(service: BookingService): Implementation<typeof bookingPages> {
  return {
    style: async (_ctx, _guest, _input, _upload, request) => stylesheet(request),
    show: async (ctx, guest, input) => respond(200, await showPage(ctx, guest, service, input)),
    book: async (ctx, guest, { slug }, upload) => await bookByForm(ctx, guest, service, slug, upload),
    ...manageServices(service, { respond, redirect }),
  };
}

/** What a browser shows of a request that a booking page refuses. */
export function respondBookingProblem(problem: Problem, headers: Readonly<Record<string, string>>): Response {
  const retry = problem.retryAfterSeconds;
  const more = retry === undefined ? {} : { 'retry-after': String(retry) };
  const body = problemPage(titles[problem.kind] ?? 'This did not work', problem.message);
  return new FastResponse(body, {
    status: problemKinds[problem.kind].http,
    headers: { ...headers, ...pageHeaders, ...more },
  });
}

const titles: Partial<Record<Problem['kind'], string>> = {
  missing: 'There is nothing here',
  tooMany: 'Too many requests',
  invalid: 'This address is not right',
};

function respond(status: number, body: string): Response {
  return new FastResponse(body, { status, headers: pageHeaders });
}

/** So that a reload doesn't send the form again. */
function redirect(to: string): Response {
  return new FastResponse(null, {
    status: 303,
    headers: { location: to, 'content-security-policy': contentSecurityPolicy },
  });
}

const styleTag = `"${createHash('sha256').update(style).digest('base64url')}"`;

function stylesheet(request: Request): Response {
  const headers = { 'cache-control': 'no-cache', etag: styleTag, 'content-type': 'text/css; charset=utf-8' };
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === styleTag))
    return new FastResponse(null, { status: 304, headers });
  return new FastResponse(style, { headers });
}

type Shown = InputOf<(typeof bookingPages)['show']>;

async function showPage(ctx: Context, guest: Guest, service: BookingService, input: Shown): Promise<string> {
  const page = await requirePublic(ctx, guest, service, input.slug);
  const offer = shownType(page, input.type);
  const path = `/book/${page.slug}`;
  if (offer === undefined) return layout({ title: page.title, main: kinds(page, path) });
  const { timezone = page.timezone } = input;
  if (input.start !== undefined)
    return formPage(ctx, page, { offer, start: input.start, timezone, filled: {}, wrong: [] });
  const query = { type: offer.id };
  const times = await weekOf(ctx, guest, service, page, { offer: offer.id, path, query, date: input.date, timezone });
  const title = `${offer.name}: ${page.title}`;
  return layout({ title, main: html`${headOf(page)}${aboutOf(offer)}${times}` });
}

function headOf({ title, host, description }: PublicPage): Html {
  return html`<h1>${title}</h1>
    <p class="faint">with ${host.displayName}</p>
    ${paragraph(description)}`;
}

function kinds(page: PublicPage, path: string): Html {
  const items = page.appointmentTypes.map(
    (offer) =>
      html`<li>
        <h2><a href="${address(path, { type: offer.id })}">${offer.name}</a></h2>
        <p class="faint">
          ${offer.durationMinutes} minutes${offer.location === undefined ? '' : `, ${offer.location}`}
        </p>
        ${paragraph(offer.description)}
      </li>`,
  );
  const list = items.length === 0 ? html`<p>Nothing can be booked here at the moment.</p>` : nothing;
  return html`${headOf(page)}${list}
    <ul class="plain kinds">
      ${items}
    </ul>`;
}

function aboutOf({ name, durationMinutes, location, description, requiresConfirmation }: Offer): Html {
  return html`<h2>${name}</h2>
    <p class="faint">${durationMinutes} minutes${location === undefined ? '' : `, ${location}`}</p>
    ${paragraph(description)} ${requiresConfirmation ? html`<p>The host confirms each appointment.</p>` : nothing}`;
}

interface FormPage {
  readonly offer: Offer;
  readonly start: string;
  readonly timezone: string;
  readonly filled: Filled;
  readonly wrong: readonly FieldProblem[];
  /** of the form that was sent; without it a new one is made */
  readonly token?: string;
  readonly said?: Html;
}

function formPage(
  ctx: Context,
  page: PublicPage,
  { offer, start, timezone, filled, wrong, token, said }: FormPage,
): string {
  const path = `/book/${page.slug}`;
  // What a browser was sent to must be a time before it is shown as one.
  const input = checkInput(booking.bookAppointment, {
    slug: page.slug,
    appointmentType: offer.id,
    startTime: start,
    timezone,
    bookerName: 'x',
    bookerEmail: 'x@x.example',
  }) as InputOf<typeof booking.bookAppointment>;
  const zone = shownZone(timezone, page.timezone);
  const formed = { slug: page.slug, type: offer.id, start: input.startTime };
  const hidden = { type: offer.id, start: input.startTime, timezone: zone, token: token ?? newFormToken(ctx, formed) };
  const date = today(Date.parse(input.startTime), zone);
  const back = address(path, { type: offer.id, timezone: zone, date });
  const main = html`${headOf(page)}${aboutOf(offer)}${said ?? nothing}
    <dl>
      <dt>When</dt>
      <dd>${momentMarkup(input.startTime, zone)}</dd>
      <dt>Time zone</dt>
      <dd>${zone}</dd>
    </dl>
    <p><a href="${back}">Choose another time</a></p>
    ${formMarkup({ action: path, offer, hidden, filled, wrong })}`;
  return layout({ title: `${wrong.length > 0 ? 'Please correct: ' : ''}${offer.name}: ${page.title}`, main });
}

async function bookByForm(
  ctx: Context,
  guest: Guest,
  service: BookingService,
  slug: string,
  upload: Upload,
): Promise<Response> {
  const page = await requirePublic(ctx, guest, service, slug);
  const filled = await readForm(upload);
  const path = `/book/${page.slug}`;
  // A program learns nothing of what gave it away.
  if ((filled[TRAP] ?? '') !== '') return redirect(path);
  const { type = '', start = '', timezone = page.timezone, token = '' } = filled;
  const offer = shownType(page, type);
  if (offer === undefined) return redirect(path);
  const again = (status: number, more: Partial<FormPage>) =>
    respond(status, formPage(ctx, page, { offer, start, timezone, filled, wrong: [], ...more }));
  const state = checkFormToken(ctx, { slug: page.slug, type: offer.id, start }, token);
  if (state.is === 'early')
    return again(400, {
      token,
      said: notice('That was very quick', 'Please look at what you entered, and send it once more.'),
    });
  if (state.is !== 'good')
    return again(400, {
      said: notice('The form was open for too long', 'Please look at what you entered, and send it once more.'),
    });
  try {
    const input = checkInput(booking.bookAppointment, {
      ...bookingOf(page.slug, offer, filled),
      requestId: state.nonce,
    }) as InputOf<typeof booking.bookAppointment>;
    const { appointment, manageToken } = await service.bookAppointment(ctx, guest, input);
    return redirect(address(`${path}/${appointment.id}`, { token: manageToken }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind === 'invalid') return again(400, { token, wrong: error.fields });
    if (error.code === 'IDEMPOTENCY_KEY_REUSED')
      return again(409, { said: notice('This form was sent already', 'To book once more, send it again.') });
    if (error.code === 'SLOT_UNAVAILABLE')
      return again(409, { said: notice('This time is not free any more', error.message) });
    throw error;
  }
}

/** What was filled in, as the operation takes it. */
function bookingOf(slug: string, offer: Offer, filled: Filled): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const { id, type } of offer.questions) {
    const given = filled[fieldOf(id)] ?? '';
    const value = type === 'checkbox' ? given !== '' : given;
    Object.defineProperty(answers, id, { value, enumerable: true });
  }
  const guests = (filled['guests'] ?? '').split(/[\s,;]+/).filter((one) => one !== '');
  return {
    slug,
    appointmentType: offer.id,
    startTime: filled['start'],
    timezone: filled['timezone'],
    bookerName: (filled['name'] ?? '').trim(),
    bookerEmail: (filled['email'] ?? '').trim(),
    answers,
    notes: filled['notes'] ?? '',
    ...(guests.length > 0 && { guests }),
  };
}

/** The operations whose refusals are pages. */
export function isBookingPage({ id }: Pick<Operation, 'id'>): boolean {
  return id.startsWith('bookingPage.');
}
