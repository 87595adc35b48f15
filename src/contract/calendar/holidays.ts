import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { integer } from '../text.ts';
import { calendarRoot } from './fields.ts';

const root = `${calendarRoot}/holiday-catalog`;
const common = { envelope: 'calendar', auth: 'none', method: 'GET', status: 200 } as const;

/** Behind a state there may be a part of it. The Cook Islands have islands with long names. */
const idPattern = '[a-zA-Z]{2}(?:-[a-zA-Z0-9]{1,10}){0,2}';

const region = v.pipe(
  v.string('must be text'),
  v.maxLength(24),
  v.regex(new RegExp(`^${idPattern}$`), 'must be a country or region such as de or de-by'),
  v.toLowerCase(),
  v.description('id of a country or region, such as de or de-by'),
);

const catalogEntry = v.object({
  id: v.pipe(v.string(), v.examples(['de-by'])),
  displayName: v.string(),
  description: v.string(),
  region: v.pipe(v.string(), v.description('ISO 3166; smaller regions have one part more')),
  category: v.literal('public'),
  icsUrl: v.string(),
});
export type CatalogEntry = v.InferOutput<typeof catalogEntry>;

const holiday = v.object({
  date: v.string(),
  endDate: v.optional(v.pipe(v.string(), v.description('the first day after it, of one that is longer than a day'))),
  name: v.string(),
  localName: v.string(),
  type: v.pipe(v.picklist(['public', 'partial']), v.description('`partial`: from some hour on, or until one')),
  note: v.optional(v.pipe(v.string(), v.description('for whom or where, if it is not for everybody'))),
});
export type Holiday = v.InferOutput<typeof holiday>;

/** Public holidays, prefix `/api/cal/holiday-catalog`. */
export const holidays = {
  holidayCatalog: operation({
    ...common,
    id: 'calendar.holiday-catalog',
    path: root,
    summary: 'List countries and regions whose public holidays are known',
    description:
      'With `country` only it and its regions, and its holidays in a year in order; without `year`, of this year. Days that follow the moon may be a day off from what is proclaimed.',
    input: v.object({ country: v.optional(region), year: v.optional(integer(1970, 2100)) }),
    reply: v.object({
      message: v.string(),
      catalog: v.array(catalogEntry),
      holidays: v.optional(v.array(holiday)),
    }),
    message: 'Holidays',
    headers: () => ({ 'cache-control': 'public, max-age=86400' }),
    errors: ['NOT_FOUND'],
  }),
  holidayIcs: rawOperation({
    ...common,
    id: 'calendar.holiday-ics',
    path: `${root}/:file`,
    summary: 'Subscribe to the public holidays of a country or region',
    description: 'A calendar of whole days that take no time, of all years that are known.',
    input: v.object({
      file: v.pipe(
        v.string('must be text'),
        v.maxLength(28),
        v.regex(new RegExp(`^${idPattern}\\.[iI][cC][sS]$`), 'must be a name such as de-by.ics'),
        v.toLowerCase(),
      ),
    }),
    errors: ['NOT_FOUND'],
    accepts: [],
    produces: ['text/calendar'],
  }),
};
