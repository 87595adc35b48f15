import { safeParse, pipe, string } from 'valibot';
import { expect, it } from 'vitest';
import { visible } from '../../src/contract/shown-text.ts';

it('knows all characters that Unicode says are not shown', () => {
  const schema = pipe(string(), visible);
  const unseen = /^[\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]$/u;
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code += 1) {
    const text = String.fromCodePoint(code);
    if (safeParse(schema, text).success === unseen.test(text)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
