import type { Event } from '../../../../contract/calendar/event.ts';
import { paramOf, propertyOf, textOf, type JcalComponent } from '../jcal.ts';
import { durationOf, isTime, isUtc } from '../text/times.ts';

export type Reminder = Event['reminders'][number];

const actions = new Set(['DISPLAY', 'EMAIL', 'AUDIO']);

/** The reminder that an alarm is; undefined for those that no reminder can say. Apple has some that do nothing, and those are none. */
export function reminderOf(component: JcalComponent): Reminder | undefined {
  const [name] = component;
  const action = textOf(propertyOf(component, 'action')).toUpperCase();
  const property = propertyOf(component, 'trigger');
  if (name !== 'valarm' || !actions.has(action) || property === undefined) return undefined;
  const trigger = textOf(property).toUpperCase();
  const offset = durationOf(trigger);
  if (offset === undefined && !(isTime(trigger) && isUtc(trigger))) return undefined;
  const ofEnd = paramOf(property, 'related')?.toUpperCase() === 'END';
  const repeat = propertyOf(component, 'repeat')?.[3];
  const between = textOf(propertyOf(component, 'duration'));
  const repeats = typeof repeat === 'number' && repeat > 0 && durationOf(between) !== undefined;
  const minutes = offset === undefined ? undefined : -(offset.days * 1440 + offset.seconds / 60) || 0;
  return {
    action,
    ...(minutes !== undefined && !ofEnd && Number.isInteger(minutes) && { triggerMinutesBefore: minutes }),
    trigger,
    ...(offset !== undefined && { relatedTo: ofEnd ? 'END' : 'START' }),
    ...(repeats && { repeat, duration: between }),
  };
}

export function remindersOf([, , components]: JcalComponent): Reminder[] {
  return components.flatMap((component) => reminderOf(component) ?? []);
}

/** Equal for alarms that mean the same. */
export function reminderKey({ action, trigger, relatedTo, repeat, duration }: Reminder): string {
  const offset = durationOf(trigger);
  const when = offset === undefined ? trigger : `${offset.days * 86_400 + offset.seconds} ${relatedTo ?? 'START'}`;
  return `${action} ${when} ${repeat ?? 0} ${repeat === undefined ? '' : (duration ?? '')}`;
}
