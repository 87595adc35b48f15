import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { paged, pagedOrWhole } from '../../src/contract/page.ts';
import { replyJsonSchema } from '../../src/http/openapi/json-schema.ts';
import { memberId } from '../../src/contract/text.ts';

const thing = v.object({ name: v.string() });

describe('a list in pages', () => {
  const list = paged({
    name: 'things',
    of: thing,
    filter: { memberId },
    more: { count: v.number() },
    errors: ['MEMBER_NOT_FOUND'],
    most: 50,
  });

  it('takes its filter, a limit that is 20 unless asked otherwise, and a cursor', () => {
    const of = { memberId: 'ab'.repeat(12) };
    expect(v.parse(list.input, of)).toEqual({ ...of, limit: 20 });
    expect(v.parse(list.input, { ...of, limit: '50', cursor: 'abc' })).toEqual({ ...of, limit: 50, cursor: 'abc' });
    for (const bad of [
      {},
      { ...of, limit: 51 },
      { ...of, limit: 0 },
      { ...of, cursor: '' },
      { ...of, cursor: 'x'.repeat(2_049) },
    ])
      expect(v.is(list.input, bad)).toBe(false);
  });

  it('answers the things under their name, what else there is to say, and whether there are more', () => {
    const reply = { things: [{ name: 'a' }], count: 3, hasMore: true, cursor: 'abc' };
    expect(v.parse(list.reply, reply)).toEqual(reply);
    expect(v.is(list.reply, { ...reply, things: [{}] })).toBe(false);
    expect(replyJsonSchema(list.reply)).toMatchObject({ required: ['things', 'count', 'hasMore'] });
    expect(list.errors).toEqual(['MEMBER_NOT_FOUND', 'INVALID_CURSOR']);
  });

  it('comes whole where that is how it was before', () => {
    const whole = pagedOrWhole({ name: 'things', of: thing });
    expect(v.parse(whole.input, {})).toEqual({});
    expect(v.is(whole.input, { limit: 101 })).toBe(false);
    expect(v.parse(whole.reply, { things: [] })).toEqual({ things: [], hasMore: false });
  });
});

it('every list in the contract pages as the others do', () => {
  const lists = allOperations().filter((op) => 'cursor' in op.input.entries);
  expect(lists.length).toBeGreaterThan(10);
  for (const op of lists) {
    expect([op.id, 'limit' in op.input.entries, op.errors.includes('INVALID_CURSOR')]).toEqual([op.id, true, true]);
    if (op.form !== 'json') throw new Error(`${op.id} is a list and no JSON`);
    // A list that is an array where it comes whole is an object as a page.
    const { entries, options } = op.reply as unknown as { entries?: object; options?: { entries: object }[] };
    const page = entries ?? options?.at(-1)?.entries ?? {};
    // The document of the calendar has one field for both.
    const isDocumented = ['calendar.events', 'calendar.search', 'calendar.filter', 'calendar.invitations'].includes(
      op.id,
    );
    const both = isDocumented ? 'nextCursor' in page : 'hasMore' in page && 'cursor' in page;
    expect([op.id, both]).toEqual([op.id, true]);
  }
});
