import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertJson, membersOf } from '../../src/base/json-text.ts';
import { runs } from '../support/stage.ts';

const repeated = 'An object in the body has the same key twice.';

/** What is wrong with a text; undefined if nothing is. */
function refusal(text: string | Uint8Array): string | undefined {
  try {
    assertJson(Buffer.from(text as string));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const spaces = fc.constantFrom('', ' ', '\n', '\t\r ');
const number = fc.constantFrom('0', '-0', '1e400', '-1.5E-3', '12345678901234567890', '0.10', '1e+2');
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((one) => JSON.stringify(one)),
  fc.constantFrom(String.raw`"\ud800"`, String.raw`"\/\b\f\n\r\t\"\\é"`, '"\u007f\u2028"'),
);
/** JSON as people and programs write it, with objects whose keys differ. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    text,
    fc.constantFrom('true', 'false', 'null', '[]', '{}', '[ ]', '{\n}'),
    fc.tuple(spaces, fc.array(tie('json'), { maxLength: 3 })).map(([space, items]) => `[${items.join(`${space},`)}]`),
    fc
      .tuple(
        spaces,
        fc.uniqueArray(fc.tuple(text, tie('json')), { maxLength: 4, selector: ([key]) => JSON.parse(key) as string }),
      )
      .map(
        ([space, members]) => `{${members.map(([key, value]) => `${space}${key}${space}:${space}${value}`).join(',')}}`,
      ),
  ),
}));

describe('JSON as text', () => {
  it('is valid however it is written', () => {
    fc.assert(
      fc.property(spaces, json, (space, value) => {
        expect(refusal(`${space}${value}${space}`)).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
  });

  it('is what the parser takes, and nothing else', () => {
    const broken = fc
      .tuple(
        json,
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom('', ',', '"', '\\', '{', ']', '0', '-', '.', 'e', 'u', ' ', '\u0001', ':', 't'),
      )
      .map(([value, at, cut, put]) => {
        const place = at % (value.length + 1);
        return value.slice(0, place) + put + value.slice(place + cut);
      })
      // A lone surrogate of the text itself can't be written in UTF-8.
      .filter((one) => !/\p{Surrogate}/u.test(one));
    fc.assert(
      fc.property(broken, (value) => {
        const reason = refusal(value);
        if (reason !== repeated) expect([value, reason === undefined]).toEqual([value, parses(value)]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each([
    ['', '01', '1.', '.5', '1e', '+1', '-', 'nul', 'NaN', 'Infinity', "'a'", '"a', '"\\x"', '"\\u12g4"', '"\n"'],
    ['[1,]', '[,1]', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '{"a":1]', '[1}', '1 2', '{}{}', '[', '{"a":1', '/**/1'],
  ])('refuses %j and others', (...texts) => {
    for (const one of texts) expect([one, refusal(one)]).toEqual([one, 'The body is not JSON in UTF-8.']);
  });

  it('is UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toBe('The body is not JSON in UTF-8.');
    // A surrogate, as CESU-8 writes it
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('The body is not JSON in UTF-8.');
  });

  it('has no key twice, in whatever spelling and depth', () => {
    for (const one of [
      '{"a":1,"a":2}',
      String.raw`[{"a":1,"b":2,"\u0061":3}]`,
      '{"__proto__":1,"x":{"__proto__":1,"__proto__":2}}',
      '{"":1,"":2}',
    ])
      expect(refusal(one)).toBe(repeated);
    expect(refusal('[{"a":{"a":1}},{"a":1}]')).toBeUndefined();
  });

  it('may be nested as deep as it fits', () => {
    const deep = 1_000_000;
    expect(refusal('['.repeat(deep) + ']'.repeat(deep))).toBeUndefined();
    expect(refusal(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`)).toBeUndefined();
  });
});

describe('members of an object', () => {
  it('are found as they are written, and the rest is left', () => {
    fc.assert(
      fc.property(json, json, spaces, fc.boolean(), (one, other, space, before) => {
        const member = `"raw"${space}:${space}${one}${space}`;
        const others = `${space}"other": ${other}`;
        const body = `${space}{${before ? `${member},${others}` : `${others},${member}`}}${space}`;
        const { found, rest } = membersOf(Buffer.from(body), ['raw', 'absent']);
        const { start, end } = found.get('raw')!;
        expect(Buffer.from(body).subarray(start, end).toString()).toBe(one);
        expect([...found.keys()]).toEqual(['raw']);
        expect(rest.toString()).toBe(body.replace(member, () => `"raw"${space}:${space}null${space}`));
      }),
      { numRuns: runs(200) },
    );
  });

  it('are those of the object that is meant', () => {
    const body = Buffer.from('\ufeff{"raw":1,"data":{"more":{"raw":2},"raw":[3] },"list":[{"raw":4}]}');
    const parts = ({ found }: ReturnType<typeof membersOf>) =>
      [...found].map(([key, { start, end }]) => `${key}=${body.toString('utf8', start, end)}`);
    expect(parts(membersOf(body, ['raw']))).toEqual(['raw=1']);
    expect(parts(membersOf(body, ['raw'], 'data'))).toEqual(['raw=[3]']);
    expect(parts(membersOf(body, ['raw'], 'list'))).toEqual([]);
    for (const none of ['[{"raw":1}]', '"raw"', 'null']) {
      const { found, rest } = membersOf(Buffer.from(none), ['raw']);
      expect([found.size, rest.toString()]).toEqual([0, none]);
    }
    for (const wrong of ['{"raw":1,"raw":2}', '{"raw":01}', '{"raw":1} x', '{"raw":1', ''])
      expect(() => membersOf(Buffer.from(wrong), ['raw'])).toThrow(
        /^(?:The body is not JSON|An object in the body has the same key twice)/,
      );
  });
});
