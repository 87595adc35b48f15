import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/cli/kit/fields.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { parseValue } from '../../src/cli/kit/input.ts';
import { integer, line, secretText } from '../../src/contract/text.ts';

const form = {
  path: '/x/:id',
  input: v.object({
    id: line(10),
    fullName: v.pipe(line(10), v.description('the whole name')),
    loud: v.optional(v.boolean()),
    limit: v.optional(integer(1, 5), 2),
    colour: v.picklist(['red', 'green']),
    tags: v.optional(v.pipe(v.array(line(5)), v.maxLength(3))),
    passPhrase: v.optional(secretText(10)),
    group: v.object({ minSize: v.optional(v.pipe(v.number(), v.integer())) }),
    other: v.optional(v.record(v.string(), v.number())),
  }),
};

describe('fields of a schema', () => {
  it('say how each value is asked for', () => {
    const fields = fieldsOf(form).map(({ key, name, kind, required, secret, inPath }) => ({
      key,
      name,
      kind,
      required,
      secret,
      inPath,
    }));
    const usual = { required: false, secret: false, inPath: false };
    expect(fields).toEqual([
      { ...usual, key: 'id', name: 'id', kind: 'text', required: true, inPath: true },
      { ...usual, key: 'fullName', name: 'full-name', kind: 'text', required: true },
      { ...usual, key: 'loud', name: 'loud', kind: 'boolean' },
      { ...usual, key: 'limit', name: 'limit', kind: 'integer' },
      { ...usual, key: 'colour', name: 'colour', kind: 'choice', required: true },
      { ...usual, key: 'tags', name: 'tags', kind: 'list' },
      { ...usual, key: 'passPhrase', name: 'pass-phrase', kind: 'text', secret: true },
      { ...usual, key: 'group.minSize', name: 'min-size', kind: 'integer' },
      { ...usual, key: 'other', name: 'other', kind: 'json' },
    ]);
  });

  it('become flags, secrets excepted', () => {
    const flags = flagsOf(form, { omit: ['id'] });
    expect(Object.keys(flags)).toEqual([
      'full-name',
      'loud',
      'limit',
      'colour',
      'tags',
      'pass-phrase-file',
      'min-size',
      'other',
    ]);
    expect(flags['full-name']).toMatchObject({ type: 'option', description: 'the whole name' });
    expect(flags['loud']).toMatchObject({ type: 'boolean', allowNo: true });
    expect(flags['colour']).toMatchObject({ options: ['red', 'green'] });
    expect(flags['tags']).toMatchObject({ multiple: true });
    expect(flags['pass-phrase-file']?.description).toContain('CONCLAVE_PASS_PHRASE, CONCLAVE_PASS_PHRASE_FILE');
  });

  it('take text as what they are, and leave what does not fit for the contract to refuse', () => {
    const parse = (key: string, text: string) =>
      parseValue(
        fieldsOf(form).find((field) => field.key === key)!,
        text,
      );
    expect([parse('loud', 'true'), parse('loud', 'false'), parse('loud', 'yes')]).toEqual([true, false, 'yes']);
    expect([parse('limit', '3'), parse('limit', ''), parse('limit', 'x')]).toEqual([3, '', 'x']);
    expect(parse('tags', 'a, b')).toEqual(['a', 'b']);
    expect([parse('other', '{"a":1}'), parse('other', '{')]).toEqual([{ a: 1 }, '{']);
    expect(parse('fullName', ' 12')).toBe(' 12');
  });
});
