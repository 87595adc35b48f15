import * as v from 'valibot';
import { operation, rawOperation, uploadOperation } from '../operation.ts';
import { recordId, timestamp } from '../text.ts';
import { calendarRoot } from './fields.ts';
import { calendarLimits, duplicateModes } from './limits.ts';

const root = `${calendarRoot}/export/:calendarId`;
const common = { envelope: 'calendar', auth: 'member', scope: 'calendar' } as const;
const inCalendar = { calendarId: recordId };
const MEBIBYTE = 1024 ** 2;

const importResult = v.object({
  imported: v.number(),
  skipped: v.pipe(v.number(), v.description('events that the calendar has, with `skip`')),
  overwritten: v.number(),
  failed: v.number(),
  duplicates: v.pipe(
    v.array(v.string()),
    v.description(`UIDs that the calendar had, the first ${calendarLimits.importErrors}`),
  ),
  errors: v.pipe(
    v.array(
      v.object({
        uid: v.optional(v.string()),
        line: v.optional(v.pipe(v.number(), v.description('line of the file at which the component begins, from 1'))),
        code: v.string(),
        message: v.string(),
      }),
    ),
    v.description(`what failed, and why; the first ${calendarLimits.importErrors}`),
  ),
  warnings: v.pipe(
    v.array(
      v.object({ uid: v.optional(v.string()), line: v.optional(v.number()), code: v.string(), message: v.string() }),
    ),
    v.description('what was imported with a correction, such as a zone whose name means another one'),
  ),
});
export type ImportResult = v.InferOutput<typeof importResult>;

const calendarImport = v.object({
  id: recordId,
  calendarId: recordId,
  state: v.picklist(['pending', 'done', 'failed']),
  total: v.pipe(v.number(), v.description('events of the file')),
  done: v.pipe(v.number(), v.description('events that were read until now')),
  result: v.optional(importResult),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CalendarImport = v.InferOutput<typeof calendarImport>;

/** A header says what a program would like. Whatever it says else, the answer is iCalendar. */
const accept = v.optional(
  v.pipe(
    v.string(),
    v.description('`application/json`: the text as `icsData` of an object'),
    v.metadata({ header: 'Accept' }),
    v.transform((text): 'json' | 'text' => (/^\s*application\/json\s*(?:;|,|$)/i.test(text) ? 'json' : 'text')),
  ),
);

/** Calendars as files, prefix `/api/cal/export`. */
export const exporting = {
  exportIcs: rawOperation({
    ...common,
    id: 'calendar.export',
    method: 'GET',
    path: `${root}/ics`,
    summary: 'Export a calendar as iCalendar',
    description:
      'All that it has, also what Conclave does not know, with the definitions of all zones. With `Accept: application/json` the text is in `icsData` of an object. Others get of private events that time is taken, and of confidential ones title and time.',
    input: v.object({ ...inCalendar, accept }),
    status: 200,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    accepts: [],
    produces: ['text/calendar', 'application/json'],
  }),
  exportJson: rawOperation({
    ...common,
    id: 'calendar.export-json',
    method: 'GET',
    path: `${root}/json`,
    summary: 'Export a calendar as JSON',
    description:
      '`native`: `{calendar, events, exportedAt, format}` with events as the interface has them. `jcal`: RFC 7265. `jscalendar`: RFC 8984.',
    input: v.object({
      ...inCalendar,
      format: v.optional(v.picklist(['native', 'jcal', 'jscalendar'], 'must be native, jcal or jscalendar'), 'native'),
    }),
    status: 200,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    accepts: [],
    produces: ['application/json', 'application/calendar+json', 'application/jscalendar+json'],
  }),
  importIcs: uploadOperation({
    ...common,
    id: 'calendar.import',
    method: 'POST',
    path: `${root}/import`,
    summary: 'Import events from iCalendar',
    description: `\`text/calendar\` up to ${calendarLimits.importFile / MEBIBYTE} MiB, or JSON with the text as \`icsData\` up to ${calendarLimits.importText / MEBIBYTE} MiB and, if you like, \`duplicateMode\`. What is wrong with one event fails that event alone. Nobody is invited, and no address in the file is asked. Of a file with more than ${calendarLimits.importAtOnce} events the import goes on by itself (202); \`GET …/imports/:id\` tells how far.`,
    input: v.object({
      ...inCalendar,
      duplicateMode: v.optional(
        v.pipe(
          v.picklist(duplicateModes, 'must be skip, overwrite or create-new'),
          v.description('what becomes of an event whose UID the calendar has; default: `skip`'),
        ),
      ),
    }),
    reply: v.object({ result: v.optional(importResult), import: v.optional(calendarImport) }),
    status: 200,
    message: 'Imported',
    outcomes: {
      others: [{ status: 202, message: 'Import begun' }],
      of: ({ import: begun }) => (begun === undefined ? undefined : { status: 202, message: 'Import begun' }),
    },
    creates: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'calendarImport' },
    accepts: ['text/calendar', 'application/json'],
    digest: true,
    maxBody: calendarLimits.importFile,
  }),
  showImport: operation({
    ...common,
    id: 'calendar.import-progress',
    method: 'GET',
    path: `${root}/imports/:id`,
    summary: 'Ask how far an import is',
    description: 'For whoever began it, and for the owner of the calendar, for 30 days.',
    input: v.object({ ...inCalendar, id: recordId }),
    reply: v.object({ import: calendarImport }),
    status: 200,
    message: 'Import',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  }),
};
