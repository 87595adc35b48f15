import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declines, isReplaced, type DeclinedProposal } from '../../../../src/services/calendar/itip/versions.ts';
import '../../../support/seed-properties.ts';

const at = Date.parse('2026-03-01T08:00:00Z');
const [ten, three, four] = [10, 15, 16].map((hour) => at + hour * 3_600_000);
const proposal = { sequence: 2, stamp: at + 500, key: undefined, startAt: three!, insteadOf: ten! };
const declined: DeclinedProposal = { sequence: 2, stamp: at, key: undefined, startAt: three };

describe('a message that declines a proposal', () => {
  it.each([
    ['names its time', {}],
    ['names the time of the event, as other programs do', { startAt: ten }],
    ['names no time', { startAt: undefined }],
    ['was written later', { stamp: at + 9_000 }],
    ['is of a later state of the event, which is at another time', { sequence: 3, startAt: four }],
  ])('counts if it %s', (_, more) => {
    expect(declines({ ...declined, ...more }, proposal)).toBe(true);
  });

  it.each([
    ['is of an earlier state of the event', { sequence: 1, stamp: at + 9_000 }],
    ['was written before it was made', { stamp: at - 1_000 }],
    ['names the time of another proposal', { startAt: four }],
    ['is about an instance', { key: '2026-03-11T09:00:00.000Z' }],
  ])('changes nothing if it %s', (_, more) => {
    expect(declines({ ...declined, ...more }, proposal)).toBe(false);
  });

  it('is about one instance if it names that', () => {
    const ofInstance = { ...proposal, key: '2026-03-11T09:00:00.000Z' };
    expect(declines({ ...declined, key: ofInstance.key }, ofInstance)).toBe(true);
    expect(declines({ ...declined, key: '2026-03-12T09:00:00.000Z' }, ofInstance)).toBe(false);
    expect(declines(declined, ofInstance)).toBe(false);
  });
});

interface Sent {
  readonly at: number;
  readonly arrives: number;
  readonly number: number;
}

it('whatever arrives in whatever order, the last proposal is open until it is declined itself', () => {
  const rounds = fc.array(
    fc.record({ pause: fc.integer({ min: 1, max: 5 }), transit: fc.nat(20), answer: fc.nat(9), back: fc.nat(20) }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(rounds, (all) => {
      let now = at;
      const made = all.map(({ pause }, number) => {
        now += pause * 1_000;
        return { sequence: 0, stamp: now, key: undefined, startAt: three! + number, insteadOf: ten! };
      });
      const counters = all.map(({ transit }, number): Sent => ({
        at: made[number]!.stamp,
        arrives: made[number]!.stamp + transit * 1_000,
        number,
      }));
      // What the organizer has: of what arrives, in whatever order, the newest.
      let known: { readonly number: number; readonly decided: boolean } | undefined;
      const declinedOnes: Sent[] = [];
      const byArrival = counters.toSorted((one, other) => one.arrives - other.arrives || one.number - other.number);
      for (const [index, { number, arrives }] of byArrival.entries()) {
        if (known !== undefined && isReplaced(made[number]!, { ...made[known.number]!, decided: known.decided }))
          continue;
        const { answer, back } = all[number]!;
        const until = byArrival[index + 1]?.arrives ?? Number.POSITIVE_INFINITY;
        const answered = arrives + answer * 1_000;
        const decided = answer > 0 && answered <= until;
        if (decided) declinedOnes.push({ at: answered, arrives: answered + back * 1_000, number });
        known = { number, decided };
      }
      const last = made.length - 1;
      expect(known?.number).toBe(last);
      // What the attendee has: the last one that was made before an answer arrives.
      let open: number | undefined;
      const happens = [
        ...made.map(({ stamp }, number) => ({ when: stamp, order: 0, number, answer: undefined })),
        ...declinedOnes.map((sent) => ({ when: sent.arrives, order: 1, number: sent.number, answer: sent })),
      ].toSorted((one, other) => one.when - other.when || one.order - other.order);
      for (const { number, answer } of happens) {
        if (answer === undefined) open = number;
        else {
          const said = { sequence: 0, stamp: answer.at, key: undefined, startAt: made[number]!.startAt };
          if (open !== undefined && declines(said, made[open]!)) open = undefined;
        }
      }
      expect(open).toBe(declinedOnes.some(({ number }) => number === last) ? undefined : last);
    }),
  );
});

it('a time that somebody replaced, or that was decided, is proposed no more when it arrives again', () => {
  const [early, late] = [1, 2].map((second) => ({ sequence: 0, stamp: at + second * 1_000 }));
  expect(isReplaced(early!, { ...late!, decided: false })).toBe(true);
  expect(isReplaced(late!, { ...early!, decided: false })).toBe(false);
  // Two within a second have one DTSTAMP.
  expect(isReplaced(late!, { ...late!, decided: false })).toBe(false);
  expect(isReplaced(late!, { ...late!, decided: true })).toBe(true);
  expect(isReplaced(late!, { ...early!, decided: true })).toBe(false);
  expect(isReplaced({ ...late!, sequence: 0 }, { ...early!, sequence: 1, decided: false })).toBe(true);
});
