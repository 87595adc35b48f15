import type { GivenEvent } from '../../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { propertyOf, textOf, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { durationOf } from '../text/times.ts';
import { reminderKey, reminderOf, type Reminder } from './alarms.ts';
import { instantFrom } from './given-times.ts';
import { isoInstant } from './times.ts';

type GivenReminder = NonNullable<GivenEvent['reminders']>[number];

/**
 * The component with these reminders. An alarm that one of them means stays as it is; so do those that no reminder can say.
 *
 * @throws Problem invalid VALIDATION_ERROR with `reminders.0`
 */
export function withReminders(component: JcalComponent, given: readonly GivenReminder[]): JcalComponent {
  const [name, properties, components] = component;
  const wanted = new Map(given.map(reminderFrom).map((reminder) => [reminderKey(reminder), reminder]));
  const kept = components.filter((inner) => {
    const reminder = reminderOf(inner);
    return reminder === undefined || wanted.delete(reminderKey(reminder));
  });
  const title = textOf(propertyOf(component, 'summary'));
  return [name, properties, [...kept, ...[...wanted.values()].map((reminder) => alarmOf(reminder, title))]];
}

function reminderFrom(given: GivenReminder, at: number): Reminder {
  const path = `reminders.${at}`;
  const { action, triggerMinutesBefore: minutes, trigger, relatedTo, repeat = 0, duration } = given;
  if (trigger === undefined && minutes === undefined)
    throw fieldProblem(path, 'must have triggerMinutesBefore or trigger');
  if (repeat > 0 !== (duration !== undefined)) throw fieldProblem(path, 'must have repeat and duration together');
  const offset = trigger === undefined ? undefined : durationOf(trigger);
  if (
    minutes !== undefined &&
    trigger !== undefined &&
    (offset === undefined || offset.days * 1440 + offset.seconds / 60 !== -minutes)
  )
    throw fieldProblem(path, 'has triggerMinutesBefore and another trigger; leave out one of them');
  const repeated = repeat > 0 && duration !== undefined ? { repeat, duration: duration.toUpperCase() } : {};
  if (trigger !== undefined && offset === undefined)
    return { action, trigger: isoInstant(instantFrom(trigger, `${path}.trigger`)).replace('.000', ''), ...repeated };
  const related = minutes === undefined ? (relatedTo ?? 'START') : 'START';
  return {
    action,
    trigger: trigger?.toUpperCase().replace(/^\+/, '') ?? beforeText(minutes ?? 0),
    relatedTo: related,
    ...repeated,
  };
}

/** In the unit that programs show: days, hours or minutes. */
function beforeText(minutes: number): string {
  const [sign, size] = [minutes > 0 ? '-' : '', Math.abs(minutes)];
  if (size > 0 && size % 1440 === 0) return `${sign}P${size / 1440}D`;
  return size > 0 && size % 60 === 0 ? `${sign}PT${size / 60}H` : `${sign}PT${size}M`;
}

function alarmOf({ action, trigger, relatedTo, repeat, duration }: Reminder, title: string): JcalComponent {
  const text = title === '' ? 'Reminder' : title;
  const absolute = relatedTo === undefined;
  const properties: (JcalProperty | undefined)[] = [
    ['action', {}, 'text', action],
    ['trigger', relatedTo === 'END' ? { related: 'END' } : {}, absolute ? 'date-time' : 'duration', trigger],
    action === 'AUDIO' ? undefined : ['description', {}, 'text', text],
    action === 'EMAIL' ? ['summary', {}, 'text', text] : undefined,
    repeat === undefined ? undefined : ['repeat', {}, 'integer', repeat],
    duration === undefined ? undefined : ['duration', {}, 'duration', duration],
  ];
  return ['valarm', properties.filter((property) => property !== undefined), []];
}
