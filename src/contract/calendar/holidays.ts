import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { integer } from '../text.ts';
import { calendarRoot } from './fields.ts';

const root = `${calendarRoot}/holiday-catalog`;
const common = { envelope: 'calendar', auth: 'none', method: 'GET', status: 200 } as const;

const region = v.pipe(
  v.string('must be text'),
  v.regex(/^[a-z]{2}(?:-[a-z0-9]{1,3})?$/i, 'must be a country or region such as de or de-by'),
  v.toLowerCase(),
);

const catalogEntry = v.object({
  id: v.pipe(v.string(), v.examples(['de-by'])),
  displayName: v.string(),
  description: v.string(),
  region: v.pipe(v.string(), v.description('ISO 3166')),
  category: v.literal('public'),
  icsUrl: v.string(),
});
export type CatalogEntry = v.InferOutput<typeof catalogEntry>;

const holiday = v.object({
  date: v.string(),
  endDate: v.optional(v.pipe(v.string(), v.description('the first day after it, of one that is longer than a day'))),
  name: v.string(),
  localName: v.string(),
  type: v.string(),
});
export type Holiday = v.InferOutput<typeof holiday>;

/** Public holidays, prefix `/api/cal/holiday-catalog`. */
export const holidays = {
  holidayCatalog: operation({
    ...common,
    id: 'calendar.holiday-catalog',
    path: root,
    summary: 'List countries and regions whose public holidays are known',
    description: 'With `country` and `year` also the holidays themselves, in order.',
    input: v.object({ country: v.optional(region), year: v.optional(integer(1970, 2100)) }),
    reply: v.object({
      message: v.string(),
      catalog: v.array(catalogEntry),
      holidays: v.optional(v.array(holiday)),
    }),
    message: 'Holidays',
    errors: ['NOT_FOUND'],
  }),
  holidayIcs: rawOperation({
    ...common,
    id: 'calendar.holiday-ics',
    path: `${root}/:file`,
    summary: 'Subscribe to the public holidays of a country or region',
    input: v.object({
      file: v.pipe(
        v.string('must be text'),
        v.regex(/^[a-z]{2}(?:-[a-z0-9]{1,3})?\.ics$/i, 'must be a name such as de-by.ics'),
        v.toLowerCase(),
      ),
    }),
    errors: ['NOT_FOUND'],
    accepts: [],
    produces: ['text/calendar'],
  }),
};
