import type { Actor } from '../../../service/actor.ts';
import type { CalendarSpace } from '../../../service/ports/dav.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { zoneText } from '../icalendar/write.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { busyText, requestBusy } from './busy.ts';
import { changes } from './changes.ts';
import { collection, collections, create, remove, update, type DavCalendar } from './collections.ts';
import { readNamed } from './content.ts';
import { headsOf, isHidden, toResource, type Reader } from './heads.ts';
import { query } from './query.ts';
import { transferNamed } from './transfer.ts';
import { eraseNamed, writeNamed } from './write.ts';

/**
 * Calendars as programs see them. Whatever gets a collection got it from `collection` or `collections` in the same request, which ask what the
 * actor may do with it; what writes asks again in its transaction.
 */
export function calendarSpace(): CalendarSpace<DavCalendar> {
  return {
    kind: 'calendar',
    root: 'calendars',
    scope: 'calendar',
    type: 'text/calendar',
    mostBytes: calendarLimits.eventBytes,
    mostAttendees: calendarLimits.attendees,
    features: ['calendar-access', 'calendar-auto-schedule'],
    collections,
    collection,
    create,
    update,
    remove,
    async *list(ctx, actor, { calendar }) {
      const reader = readerOf(actor, calendar);
      for await (const heads of headsOf(ctx, calendar.id))
        yield heads.filter((head) => !isHidden(reader, head)).map((head) => toResource(reader, head));
    },
    changes: (ctx, actor, { calendar }, since, most) => changes(ctx, readerOf(actor, calendar), since, most),
    read: async (ctx, actor, { calendar }, names, form) =>
      await readNamed(ctx, readerOf(actor, calendar), names, form === undefined ? {} : { form }),
    write: writeNamed,
    transfer: transferNamed,
    erase: eraseNamed,
    query: (ctx, actor, { calendar }, filter, form) => query(ctx, readerOf(actor, calendar), filter, form),
    freeBusy: async (ctx, _actor, { calendar }, range) => await busyText(ctx, [calendar], range),
    timezoneText: (ctx, { calendar }) => zoneText(calendar.zone, zonesOf(ctx), new Date(ctx.clock.now())),
    requestBusy,
  };
}

function readerOf({ memberId }: Actor, calendar: Reader['calendar']): Reader {
  return { memberId, calendar };
}
