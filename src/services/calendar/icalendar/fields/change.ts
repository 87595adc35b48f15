import type { GivenEvent } from '../../../../contract/calendar/event.ts';
import {
  propertiesOf,
  propertyOf,
  textOf,
  valuesOf,
  valueText,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../jcal.ts';
import { wallOfMs } from '../text/times.ts';
import { conferenceNames, conferenceOf, conferenceProperty, isInline } from './attachments.ts';
import { colorOf, colorProperty } from './colors.ts';
import { withReminders } from './given-alarms.ts';
import { withAttendees, type MemberLookup } from './given-people.ts';
import { withRecurrence } from './given-recurrence.ts';
import { givenTimes } from './given-times.ts';
import type { FieldZones } from './times.ts';

export interface ChangeContext extends FieldZones {
  /** milliseconds */
  readonly now: number;
  readonly memberOf: MemberLookup;
}

/**
 * A new event.
 *
 * @throws Problem invalid VALIDATION_ERROR with the field: no begin, a time or zone that doesn't exist, an end that isn't after the begin, …
 */
export function newEvent(uid: string, given: GivenEvent, context: ChangeContext): JcalComponent {
  const stamp = stampOf(context.now);
  const component: JcalComponent = [
    'vevent',
    [
      ['uid', {}, 'text', uid],
      ['dtstamp', {}, 'date-time', stamp],
      ['created', {}, 'date-time', stamp],
      ['sequence', {}, 'integer', 0],
    ],
    [],
  ];
  return changeEvent(component, given, context);
}

/**
 * The event with what was given changed, and everything else as it was: properties, parameters and alarms that nobody here knows stay.
 * SEQUENCE does too; {@link isSignificant} says whether it must go up.
 *
 * @throws Problem invalid VALIDATION_ERROR with the field
 */
export function changeEvent(component: JcalComponent, given: GivenEvent, context: ChangeContext): JcalComponent {
  const hasTimes = propertyOf(component, 'dtstart') !== undefined;
  const times = givenTimes(hasTimes ? component : undefined, given, context);
  let changed = times === undefined ? component : withProperties(component, ['dtstart', 'dtend', 'duration'], times);
  changed = withRecurrence(changed, given, context);
  changed = withTexts(changed, given);
  changed = withChoices(changed, given);
  changed = withLists(changed, given);
  changed = withConference(changed, given);
  if (given.attendees !== undefined) changed = withAttendees(changed, given.attendees, context.memberOf);
  if (given.reminders !== undefined) changed = withReminders(changed, given.reminders);
  const stamp = stampOf(context.now);
  const modified = withProperties(changed, ['last-modified'], [['last-modified', {}, 'date-time', stamp]]);
  return withProperties(modified, ['dtstamp'], [['dtstamp', {}, 'date-time', stamp]]);
}

function stampOf(now: number): string {
  return `${wallOfMs(now)}Z`;
}

function withTexts(component: JcalComponent, given: GivenEvent): JcalComponent {
  const texts = { summary: given.summary ?? given.title, description: given.description, location: given.location };
  let changed = component;
  for (const [name, text] of Object.entries(texts)) if (text !== undefined) changed = withText(changed, name, text);
  return given.url === undefined ? changed : withText(changed, 'url', given.url ?? '');
}

function withText(component: JcalComponent, name: string, given: string): JcalComponent {
  const text = given.replaceAll(/\r\n?/g, '\n');
  const before = propertyOf(component, name);
  if (before === undefined ? text === '' : textOf(before) === text) return component;
  // What is the same in another form would now say something else.
  const { altrep: _, ...params } = before?.[1] ?? {};
  const names = name === 'description' ? [name, 'x-alt-desc'] : [name];
  return withProperties(component, names, text === '' ? [] : [[name, params, name === 'url' ? 'uri' : 'text', text]]);
}

function withChoices(component: JcalComponent, given: GivenEvent): JcalComponent {
  const { visibility, transparency, status, priority, color } = given;
  const one = (changed: JcalComponent, name: string, value: string | number | undefined): JcalComponent => {
    if (value === undefined || propertyOf(changed, name)?.[3] === value) return changed;
    return withProperties(changed, [name], [[name, {}, typeof value === 'number' ? 'integer' : 'text', value]]);
  };
  let changed = one(component, 'class', visibility);
  changed = one(changed, 'transp', transparency);
  changed = one(changed, 'status', status);
  changed = one(changed, 'priority', priority);
  if (color === undefined || color === colorOf(changed)) return changed;
  return withProperties(changed, ['color'], color === null ? [] : [colorProperty(color)]);
}

function withLists(component: JcalComponent, { categories, attachments }: GivenEvent): JcalComponent {
  let changed = component;
  if (categories !== undefined && !sameTexts(categoriesOf(component), categories))
    changed = withProperties(
      changed,
      ['categories'],
      categories.length === 0 ? [] : [['categories', {}, 'text', ...categories]],
    );
  if (attachments === undefined) return changed;
  const before = propertiesOf(component, 'attach');
  const named = attachments.map((given): JcalProperty => {
    const old = before.find((property) => !isInline(property) && textOf(property) === given.uri);
    const said = {
      ...(given.contentType !== undefined && { fmttype: given.contentType }),
      ...(given.filename !== undefined && { filename: given.filename }),
    };
    return ['attach', { ...old?.[1], ...said }, 'uri', given.uri];
  });
  // Files that stand in the event can't be given, so they can't be left out either.
  return withProperties(changed, ['attach'], [...before.filter(isInline), ...named]);
}

function categoriesOf(component: JcalComponent): string[] {
  return propertiesOf(component, 'categories').flatMap((property) => valuesOf(property).map(valueText));
}

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, at) => text === others[at]);
}

function withConference(component: JcalComponent, { conference }: GivenEvent): JcalComponent {
  if (conference === undefined) return component;
  if (conference === null) return withProperties(component, conferenceNames, []);
  const { type, uri, label, passcode } = conference;
  const shown = conferenceProperty(component);
  // The one that is shown is the one that changes; those of other programs would show the old one.
  const { label: _, 'x-passcode': __, ...others } = shown?.[0] === 'conference' ? shown[1] : {};
  const feature = { feature: type === 'phone' ? 'PHONE' : ['AUDIO', 'VIDEO'] };
  const params = {
    ...others,
    ...(conferenceOf(component)?.type === type && others['feature'] !== undefined ? {} : feature),
    ...(label !== undefined && { label }),
    ...(passcode !== undefined && { 'x-passcode': passcode }),
  };
  const more = propertiesOf(component, 'conference').filter((property) => property !== shown);
  return withProperties(component, conferenceNames, [['conference', params, 'uri', uri], ...more]);
}

const significant = ['dtstart', 'dtend', 'duration', 'rrule', 'exrule', 'rdate', 'exdate', 'status', 'location'];

/** Whether attendees must answer anew: when or whether it happens has changed, or where (RFC 5546 2.1.4). */
export function isSignificant(before: JcalComponent, after: JcalComponent): boolean {
  return significant.some(
    (name) => JSON.stringify(propertiesOf(before, name)) !== JSON.stringify(propertiesOf(after, name)),
  );
}
