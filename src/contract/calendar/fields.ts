import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { atMost, line, paragraph } from '../text.ts';
import { calendarLimits, grantable, permissions } from './limits.ts';

/** What operations of calendars take and return alike. */

export const calendarRoot = '/api/cal';

export const permission = v.pipe(
  v.picklist(permissions),
  v.description(
    '`owner`: everything. `editor`: reads and changes events. `viewer`: reads events, without those that are private. `freebusy`: sees when time is taken, and nothing else',
  ),
);

export const granted = v.pipe(
  v.picklist(grantable, 'must be editor, viewer or freebusy'),
  v.description(
    '`editor`: reads and changes events. `viewer`: reads events, without those that are private. `freebusy`: sees when time is taken, and nothing else',
  ),
);

export const calendarName = v.pipe(givenNameOf(calendarLimits.name), visible, keepsDirection);

/** A name that is part of no path, so that it may contain a slash. */
function givenNameOf(max: number) {
  return v.pipe(
    line(max),
    v.check((text) => text.trim() !== '', 'must not be blank'),
    v.normalize('NFC'),
  );
}

export const calendarAbout = paragraph(calendarLimits.about);

/** `#rgb` is the same as `#rrggbb` with each digit twice. */
export const color = v.pipe(
  v.string('must be text'),
  v.regex(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 'must be a color such as #1a73e8'),
  v.description('`#rrggbb`; `#rgb` is accepted'),
  v.examples(['#1a73e8']),
  v.transform((text) => (text.length === 4 ? text.replaceAll(/[0-9a-f]/gi, '$&$&') : text).toLowerCase()),
);

/** The service knows which names are zones. */
export const zoneName = v.pipe(
  line(64),
  v.regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 'must be an IANA time zone, such as Europe/Berlin'),
  v.examples(['Europe/Berlin']),
);

const dateForm = /^\d{4}-\d{2}-\d{2}$/;
const localForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;
const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

const eventTimeForm = 'must be a day such as 2026-03-29, or a time such as 2026-03-29T14:00:00 or 2026-03-29T14:00:00Z';

/** A day, a wall-clock time, or an instant. The service refuses days that do not exist. */
export const eventTime = v.pipe(
  atMost(40),
  v.check((text) => dateForm.test(text) || localForm.test(text) || instantForm.test(text), eventTimeForm),
  v.metadata({ pattern: String.raw`^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}.*)?$` }),
  v.examples(['2026-03-30T14:00:00']),
);

/** The end of a range or its begin: an instant, or a day, which begins in the zone of the request. */
export const rangeTime = v.pipe(
  atMost(40),
  v.check(
    (text) => dateForm.test(text) || instantForm.test(text),
    'must be a time such as 2026-03-29T14:00:00Z, or a day such as 2026-03-29',
  ),
  v.metadata({ pattern: String.raw`^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}.*)?$` }),
  v.examples(['2026-03-29']),
);
