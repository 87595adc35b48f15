import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { sendCalendarMail } from '../../mail/sending/calendar-mail.ts';
import { manageUrl, openAppointment, statusOf, type OpenAppointment } from './guest-data.ts';
import { guestIcs } from './guest-event.ts';
import { activeHost, pageById } from './page-rows.ts';

/** The kind of the jobs that send e-mail to guests. */
const kind = 'calendar-guest-mail';

/** What became of an appointment. */
export type GuestNews = 'booked' | 'moved' | 'confirmed' | 'rejected' | 'cancelled';

interface Payload {
  readonly id: string;
  readonly news: GuestNews;
}

/** Has the guest told, after the commit. Of several changes the last one is told. */
export async function planGuestMail(tx: Context, { row, data }: OpenAppointment, news: GuestNews): Promise<void> {
  if (data.delivery === 'NO_ROUTE') return;
  const now = tx.clock.now();
  const payload: Payload = { id: row.id, news };
  await planJob(tx.db, { id: `${kind}/${row.id}`, kind, payload, runAt: now, now });
}

const byId = writtenQuery<AppointmentRow>('select * from appointments where id = $1');

export function guestMailHandler(ctx: Context): JobHandler {
  return async (payload, { finish }) => {
    const { id, news } = payload as Payload;
    const [row] = (await ctx.db.executeQuery(byId(id))).rows;
    const page = row === undefined ? undefined : await pageById(ctx, row.page_id);
    const host = row === undefined ? undefined : await activeHost(ctx, row.host_id);
    if (row === undefined || page === undefined || host === undefined) return;
    const open = openAppointment(ctx, page, row);
    const mail = {
      recipients: [open.data.email],
      subject: `${subjects[news]}: ${open.data.typeName}, ${when(open)}`.slice(0, 200),
      text: textOf(ctx, open, news, host.username),
      ics: guestIcs(ctx, open, host.username, manageUrl(ctx, open)),
      automatic: true,
      // The job ends with the message: it is sent once, whatever happens between.
      before: async (tx: Context) => await finish(tx.db),
    };
    try {
      await sendCalendarMail(ctx, { memberId: host.id, username: host.username }, mail);
    } catch (error) {
      // A host whose storage is full sends nothing. The guest has the page.
      if (!(error instanceof Problem) || !['tooLarge', 'invalid'].includes(error.kind)) throw error;
      ctx.log.warn('a guest got no e-mail', { appointment: id, error });
    }
  };
}

const subjects: Readonly<Record<GuestNews, string>> = {
  booked: 'Booked',
  moved: 'Moved',
  confirmed: 'Confirmed',
  rejected: 'Not possible',
  cancelled: 'Cancelled',
};

/** A time as a guest reads it, in the zone of the guest. */
export function when({ row, data }: Pick<OpenAppointment, 'row' | 'data'>): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone: data.timezone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  return day.format(row.start_at);
}

function textOf(ctx: Context, open: OpenAppointment, news: GuestNews, host: string): string {
  const { row, data } = open;
  const status = statusOf(row);
  const facts = [
    `What: ${data.typeName}`,
    `With: ${host}`,
    `When: ${when(open)} (${data.timezone})`,
    ...(data.location === undefined ? [] : [`Where: ${data.location}`]),
    ...(data.conferenceUri !== undefined && status === 'confirmed' ? [`Join: ${data.conferenceUri}`] : []),
  ];
  // Nobody has the host send to others what they wrote themselves.
  const reason = data.reasonBy !== 'host' || data.reason === undefined || data.reason === '' ? [] : ['', data.reason];
  const waits = status === 'pending' ? ['', `${host} has to confirm it. You get a message then.`] : [];
  const closed = status === 'cancelled' || status === 'rejected';
  const links = closed ? [] : ['', 'To move or cancel it, open this page:', manageUrl(ctx, open)];
  return ['Hello,', '', sentences[news], ...reason, '', ...facts, ...waits, ...links, ''].join('\n');
}

const sentences: Readonly<Record<GuestNews, string>> = {
  booked: 'this appointment was booked.',
  moved: 'this appointment was moved.',
  confirmed: 'this appointment is confirmed.',
  rejected: 'this appointment is not possible.',
  cancelled: 'this appointment was cancelled.',
};
