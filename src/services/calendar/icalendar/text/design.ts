import { plainNumber } from '../../../../base/whole-number.ts';
import ICAL from 'ical.js';
import { unescapedText, valueText, type JcalRule, type JcalValue } from '../jcal.ts';
import { ruleFromText, ruleToText } from './rules.ts';
import { timeFromText, timeToText } from './times.ts';

/**
 * What ical.js goes by to parse and to write a property. Its own tables are the base. Here a value that isn't what its type says stays as it
 * is, in both directions, where ical.js would make 0, `false` or half a date of it; and names such as `constructor` are no properties.
 */
export interface Design {
  readonly name: string;
  readonly value: Readonly<Record<string, ValueDesign>>;
  readonly param: Readonly<Record<string, object>>;
  readonly property: Readonly<Record<string, PropertyDesign>>;
  readonly propertyGroups: false;
}

interface ValueDesign {
  readonly fromICAL?: (text: string) => JcalValue;
  readonly toICAL?: (value: JcalValue) => string;
}

interface PropertyDesign {
  readonly defaultType: string;
  readonly allowedTypes?: readonly string[];
  readonly multiValue?: ',';
  readonly structuredValue?: ';';
  readonly detectType?: (text: string) => string | undefined;
}

const values: Readonly<Record<string, ValueDesign>> = {
  text: {
    fromICAL: unescapedText,
    toICAL: (value) =>
      valueText(value)
        .replaceAll(/[\\;,]/g, '\\$&')
        .replaceAll(/\r\n?|\n/g, '\\n'),
  },
  date: { fromICAL: timeFromText, toICAL: (value) => timeToText(valueText(value)) },
  'date-time': { fromICAL: timeFromText, toICAL: (value) => timeToText(valueText(value)) },
  period: {
    fromICAL: (text) => text.split('/').map(timeFromText),
    toICAL: (value) => (Array.isArray(value) ? (value as string[]) : [valueText(value)]).map(timeToText).join('/'),
  },
  recur: {
    fromICAL: (text) => {
      const rule = ruleFromText(text);
      // A rule that has a part twice is kept as text.
      const parts = text.split(';').filter((part) => part.trim() !== '').length;
      return rule !== undefined && Object.keys(rule).length === parts ? rule : text;
    },
    toICAL: (value) => (typeof value === 'object' ? ruleToText(value as JcalRule) : valueText(value)),
  },
  integer: { fromICAL: exactNumber, toICAL: valueText },
  float: { fromICAL: exactNumber, toICAL: valueText },
  boolean: {
    fromICAL: (text) => ({ TRUE: true, FALSE: false })[text] ?? text,
    toICAL: (value) => (typeof value === 'boolean' ? String(value).toUpperCase() : valueText(value)),
  },
  'utc-offset': {
    fromICAL: (text) =>
      text.replace(/^([+-]\d{2})(\d{2})(\d{2})?$/, (_, hours: string, minutes: string, seconds) =>
        seconds === undefined ? `${hours}:${minutes}` : `${hours}:${minutes}:${String(seconds)}`,
      ),
    toICAL: (value) => valueText(value).replaceAll(':', ''),
  },
};

/** A number only if the same text would be written of it: coordinates keep their zeros. */
function exactNumber(text: string): JcalValue {
  const number = plainNumber(text);
  return number !== undefined && String(number) === text ? number : text;
}

/** Whether it is a day or a time is seen; the parameter that should say so is often missing, or wrong. */
const seenTime = (text: string): string | undefined =>
  /^\d{8}(?:,|$)/.test(text) ? 'date' : /^\d{8}T/i.test(text) ? 'date-time' : undefined;
const time: PropertyDesign = { defaultType: 'date-time', detectType: seenTime };

const properties: Readonly<Record<string, PropertyDesign>> = {
  ...(ICAL.design.icalendar.property as Record<string, PropertyDesign>),
  dtstart: time,
  dtend: time,
  due: time,
  'recurrence-id': time,
  exdate: { ...time, multiValue: ',' },
  trigger: {
    defaultType: 'duration',
    detectType: (text) => seenTime(text) ?? (/^[+-]?P/i.test(text) ? 'duration' : undefined),
  },
  // RFC 7986. Types of all but text must be said.
  color: { defaultType: 'text' },
  conference: { defaultType: 'text' },
  image: { defaultType: 'text' },
  name: { defaultType: 'text' },
  'refresh-interval': { defaultType: 'text' },
  source: { defaultType: 'text' },
};

/** With no prototype, because ical.js asks with `in`. */
function bare<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}

export const design: Design = {
  name: 'ical',
  value: bare(values),
  param: bare({}),
  property: bare(properties),
  propertyGroups: false,
};
