import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf } from '../../../src/services/calendar/objects/periods.ts';
import { instancesOf, runsOf, startsIn, type EventInstance } from '../../../src/services/calendar/objects/runs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const monday = Date.UTC(2026, 2, 23, 9);

function instance(start: number, duration = HOUR, more: Partial<EventInstance> = {}): EventInstance {
  return {
    object_id: 'a',
    recurrence: start,
    calendar_id: 'c',
    start_at: start,
    end_at: start + duration,
    long: lengthOf(duration),
    opaque: 1,
    status: 'CONFIRMED',
    visibility: 'PUBLIC',
    ...more,
  };
}

const starts = (count: number, step: number, first = monday) =>
  Array.from({ length: count }, (_, index) => instance(first + index * step));

const inOrder = (one: EventInstance, other: EventInstance) =>
  one.start_at - other.start_at || one.recurrence - other.recurrence;

describe('runs of instances', () => {
  it('are one for each eight weeks of a series of equal steps', () => {
    expect(runsOf(starts(157, 7 * DAY)).length).toBeLessThanOrEqual(21);
    expect(runsOf(starts(1_000, DAY)).length).toBeLessThanOrEqual(19);
    expect(runsOf(starts(1, DAY))).toMatchObject([{ start_at: monday, end_at: monday + HOUR, step: 1 }]);
  });

  it('are one for each day of the week of a rule with several', () => {
    const workdays = starts(28, DAY).filter((_, index) => index % 7 < 5);
    expect(runsOf(workdays).length).toBeLessThanOrEqual(10);
    const shifted = starts(4, 7 * DAY).concat(starts(4, 7 * DAY, monday + 28 * DAY - HOUR));
    expect(runsOf(shifted).length).toBeLessThanOrEqual(4);
  });

  it('have neither those that were changed by themselves nor those of other lengths', () => {
    const [first, second, third] = starts(3, DAY) as [EventInstance, EventInstance, EventInstance];
    const moved = { ...second, start_at: second.start_at + HOUR, end_at: second.end_at + HOUR };
    expect(runsOf([first, moved, third])).toHaveLength(2);
    expect(runsOf([first, { ...second, status: 'TENTATIVE' }, third])).toHaveLength(2);
    expect(runsOf([first, instance(second.start_at, 2 * HOUR), third])).toHaveLength(2);
  });

  it('give back all instances, and of a range those that overlap it', () => {
    const times = fc.record({
      first: fc.integer({ min: -400, max: 400 }),
      steps: fc.array(fc.constantFrom(HOUR, DAY, 7 * DAY, 7 * DAY - HOUR, 31 * DAY), { maxLength: 40 }),
      duration: fc.constantFrom(0, HOUR, DAY, 3 * DAY, 40 * DAY),
      odd: fc.integer({ min: 0, max: 50 }),
      from: fc.integer({ min: -500, max: 1_500 }),
      length: fc.integer({ min: 0, max: 200 }),
    });
    fc.assert(
      fc.property(times, ({ first, steps, duration, odd, from, length }) => {
        let at = first * DAY;
        const all = [at, ...steps.map((step) => (at += step))].map((start, index) =>
          instance(
            start,
            index === odd ? duration + HOUR : duration,
            index === odd ? { recurrence: start - 60_000 } : {},
          ),
        );
        const runs = runsOf(all);
        expect(runs.flatMap((run) => instancesOf(run)).toSorted(inOrder)).toEqual(all);
        const range = { from: from * DAY, to: (from + length) * DAY };
        const within = all.filter(
          ({ start_at: start, end_at: end }) =>
            start < range.to && (end > range.from || (start === end && start >= range.from)),
        );
        expect(runs.flatMap((run) => instancesOf(run, range)).toSorted(inOrder)).toEqual(within);
        expect(runs.flatMap((run) => startsIn(run, range))).toHaveLength(within.length);
      }),
    );
  });
});
