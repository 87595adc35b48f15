import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  componentsOf,
  propertyOf,
  textOf,
  type JcalComponent,
  type JcalProperty,
} from '../../../../src/services/calendar/icalendar/jcal.ts';
import {
  instanceKey,
  takeAnswer,
  takeCancel,
  takeRequest,
  type Copy,
} from '../../../../src/services/calendar/itip/receive.ts';
import { noVersions } from '../../../../src/services/calendar/itip/versions.ts';
import { askedAnew } from '../../../../src/services/calendar/itip/messages.ts';
import { zonesOfObject } from '../../../../src/services/calendar/objects/known-zones.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';
import '../../../support/seed-properties.ts';

const zones = zonesOfObject(createZones(), 'UTC', ['vcalendar', [], []]);
const me = { key: 'mailto:me@example.org' };
const stamp = (minute: number) => `2026-03-01T08:${String(minute).padStart(2, '0')}:00Z`;
const instance = '2026-03-11T09:00:00Z';

interface Said {
  readonly sequence: number;
  readonly minute: number;
  readonly at?: string;
  readonly title?: string;
}

function event({ sequence, minute, at, title }: Said, more: readonly JcalProperty[] = []): JcalComponent {
  return [
    'vevent',
    [
      ['uid', {}, 'text', 'u'],
      ['dtstamp', {}, 'date-time', stamp(minute)],
      ['sequence', {}, 'integer', sequence],
      ['organizer', {}, 'cal-address', 'mailto:boss@example.org'],
      ['attendee', { partstat: 'NEEDS-ACTION' }, 'cal-address', 'mailto:me@example.org'],
      ['dtstart', {}, 'date-time', at ?? '2026-03-10T09:00:00Z'],
      ['dtend', {}, 'date-time', at === undefined ? '2026-03-10T10:00:00Z' : at.replace('T09', 'T10')],
      ...(at === undefined
        ? [['rrule', {}, 'recur', { freq: 'DAILY', count: 5 }] as const]
        : [['recurrence-id', {}, 'date-time', at] as const]),
      ...(title === undefined ? [] : [['summary', {}, 'text', title] as const]),
      ...more,
    ],
    [],
  ];
}

const whole = (...events: readonly JcalComponent[]): JcalComponent => ['vcalendar', [], events];

type Message = (copy: Copy) => Copy | undefined;
const request =
  (...events: readonly JcalComponent[]): Message =>
  (copy) =>
    takeRequest(copy, whole(...events), me, zones);
const cancel =
  (said: Said): Message =>
  (copy) =>
    takeCancel(copy, whole(event(said)), zones);

/** What somebody sees of an event: title and state of the series and of single instances. */
function seen({ object }: Copy): string[] {
  if (object === undefined) return [];
  return componentsOf(object, 'vevent')
    .map((one) => {
      const without = one[1].filter(([name]) => name === 'exdate').map(textOf);
      const status = textOf(propertyOf(one, 'status'));
      return `${instanceKey(one, zones) ?? 'series'} ${textOf(propertyOf(one, 'summary'))} ${status} ${without.toSorted().join()}`;
    })
    .toSorted();
}

function receive(messages: readonly Message[]): Copy {
  let copy: Copy = { object: undefined, known: noVersions };
  for (const message of messages) copy = message(copy) ?? copy;
  return copy;
}

const first = request(event({ sequence: 0, minute: 1, title: 'One' }));
const two = request(event({ sequence: 1, minute: 2, title: 'Two' }));
const same = request(event({ sequence: 1, minute: 3, title: 'Two again' }));
const moved = request(event({ sequence: 1, minute: 4, at: instance, title: 'Moved' }));
const three = request(
  event({ sequence: 2, minute: 5, title: 'Three' }),
  event({ sequence: 2, minute: 5, at: instance, title: 'Within' }),
);
const off = (sequence: number) => cancel({ sequence, minute: 6 });
const without = (sequence: number) => cancel({ sequence, minute: 6, at: instance });

function everyOrder(messages: readonly Message[]): Message[][] {
  if (messages.length <= 1) return [[...messages]];
  return messages.flatMap((head, at) => everyOrder(messages.toSpliced(at, 1)).map((rest) => [head].concat(rest)));
}

it.each([
  { name: 'two requests', messages: [first, two], wanted: ['series Two  '] },
  { name: 'requests with one SEQUENCE', messages: [first, two, same], wanted: ['series Two again  '] },
  { name: 'two requests and a cancellation', messages: [first, two, off(1)], wanted: ['series Two CANCELLED '] },
  {
    name: 'a new invitation after a cancellation',
    messages: [first, off(1), three],
    wanted: [`2026-03-11T09:00:00.000Z Within  `, 'series Three  '],
  },
  {
    name: 'an instance that was moved',
    messages: [first, two, moved],
    wanted: ['2026-03-11T09:00:00.000Z Moved  ', 'series Two  '],
  },
  {
    name: 'one that was moved before the series changed',
    messages: [moved, three],
    wanted: ['2026-03-11T09:00:00.000Z Within  ', 'series Three  '],
  },
  { name: 'a cancelled instance', messages: [first, two, without(1)], wanted: [`series Two  ${instance}`] },
  {
    name: 'a cancelled instance that was moved',
    messages: [two, moved, without(1)],
    wanted: [`series Two  ${instance}`],
  },
  {
    name: 'an instance to which one is invited again',
    messages: [two, without(1), three],
    wanted: ['2026-03-11T09:00:00.000Z Within  ', 'series Three  '],
  },
])('$name arrive in any order', ({ messages, wanted }) => {
  const orders = everyOrder(messages);
  // What hides everything hides its words too: a title that never arrived in time is not missed.
  const results = orders.map((order) => seen(receive(order)));
  if (wanted.every((text) => !text.includes('CANCELLED'))) for (const result of results) expect(result).toEqual(wanted);
  else for (const result of results) expect(result.every((text) => text.includes('CANCELLED'))).toBe(true);
});

it('whatever arrives in whatever order, and however often, leaves the same; removals win', () => {
  const said = fc.record({ sequence: fc.integer({ min: 0, max: 4 }), minute: fc.integer({ min: 0, max: 30 }) });
  // Two messages of one version are one message.
  const versions = fc.uniqueArray(said, {
    minLength: 1,
    maxLength: 7,
    selector: (one) => `${one.sequence} ${one.minute}`,
  });
  const kinds = fc.array(fc.constantFrom('request', 'with instance', 'instance', 'cancel', 'cancel instance'), {
    minLength: 7,
    maxLength: 7,
  });
  fc.assert(
    fc.property(versions, kinds, fc.infiniteStream(fc.nat()), (all, names, numbers) => {
      const messages = all.map((version, at): Message => {
        const title = `${version.sequence}.${version.minute}`;
        const single = event({ ...version, at: instance, title: `${title} instance` });
        const kind = names[at];
        if (kind === 'request') return request(event({ ...version, title }));
        if (kind === 'with instance') return request(event({ ...version, title }), single);
        if (kind === 'instance') return request(single);
        return cancel(kind === 'cancel' ? version : { ...version, at: instance });
      });
      const shuffled = messages
        .flatMap((message) => [message, message])
        .map((message) => ({ message, by: numbers.next().value as number }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ message }) => message);
      const visible = (copy: Copy) => seen(copy).filter((text) => !text.includes('CANCELLED'));
      expect(visible(receive(shuffled))).toEqual(visible(receive(messages)));
      const highest = Math.max(
        -1,
        ...all
          .filter((_, at) => names[at] !== 'cancel' && names[at] !== 'cancel instance')
          .map(({ sequence }) => sequence),
      );
      const gone = all.some(({ sequence }, at) => names[at] === 'cancel' && sequence >= highest);
      if (gone) expect(visible(receive(shuffled))).toEqual([]);
    }),
  );
});

it('of answers the newest counts, and none to what was asked before', () => {
  const asked = askedAnew(event({ sequence: 2, minute: 0 }));
  const answers = [
    { partstat: 'ACCEPTED', version: { sequence: 1, stamp: 50 } },
    { partstat: 'TENTATIVE', version: { sequence: 2, stamp: 10 } },
    { partstat: 'DECLINED', version: { sequence: 2, stamp: 30 } },
    { partstat: 'ACCEPTED', version: { sequence: 2, stamp: 20 } },
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(answers, { minLength: 4 }), (order) => {
      let now = asked;
      for (const answer of order) now = takeAnswer(now, me, { ...answer, comment: undefined, key: undefined }) ?? now;
      expect(propertyOf(now, 'attendee')?.[1]['partstat']).toBe('DECLINED');
    }),
  );
  expect(takeAnswer(asked, me, { ...answers[0]!, comment: undefined, key: undefined })).toBe(undefined);
  expect(
    takeAnswer(asked, { key: 'mailto:stranger@example.org' }, { ...answers[1]!, comment: undefined, key: undefined }),
  ).toBe(undefined);
});

it('the own answer and what is the own of a copy stay, until there is something new to answer', () => {
  const copied = receive([first]).object!;
  const mine: JcalComponent = whole(
    ...componentsOf(copied, 'vevent').map((at): JcalComponent => [
      at[0],
      [
        ...at[1].map((property): JcalProperty =>
          property[0] === 'attendee'
            ? ['attendee', { partstat: 'ACCEPTED' }, 'cal-address', 'mailto:me@example.org']
            : property,
        ),
        ['transp', {}, 'text', 'TRANSPARENT'],
        ['categories', {}, 'text', 'Own'],
      ],
      [
        [
          'valarm',
          [
            ['action', {}, 'text', 'DISPLAY'],
            ['trigger', {}, 'duration', '-PT5M'],
          ],
          [],
        ],
      ],
    ]),
  );
  const copy = { object: mine, known: receive([first]).known };
  const retitled = two(copy)!.object!;
  const [master] = componentsOf(retitled, 'vevent');
  expect(textOf(propertyOf(master!, 'summary'))).toBe('Two');
  expect(propertyOf(master!, 'attendee')?.[1]).toEqual({ partstat: 'ACCEPTED' });
  expect([textOf(propertyOf(master!, 'transp')), textOf(propertyOf(master!, 'categories')), master![2].length]).toEqual(
    ['TRANSPARENT', 'Own', 1],
  );
  const later = request(event({ sequence: 3, minute: 9, title: 'Later' }, [['location', {}, 'text', 'Elsewhere']]))(
    copy,
  )!;
  const [asked] = componentsOf(later.object!, 'vevent');
  expect(propertyOf(asked!, 'attendee')?.[1]).toEqual({ partstat: 'NEEDS-ACTION' });
});
