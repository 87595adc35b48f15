import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from '../../../src/cli/passvault/run/env-file.ts';
import { childEnvironment } from '../../../src/cli/kit/start-program.ts';
import { variablesFor } from '../../../src/cli/passvault/run/run-secrets.ts';

const values = (text: string) => Object.fromEntries(parseEnvFile(text, 'F').map(({ name, value }) => [name, value]));

describe('environment files', () => {
  it('hold names and values in the usual ways', () => {
    const text = [
      '\ufeff# a comment',
      '',
      'A=plain value # comment',
      'export B = conclave://Work/db/password',
      "C='single $HOME \\n # kept'",
      'D="double \\"x\\" \\n\\t\\$Y \\q"   # comment',
      'E=',
      'F=a#b=c',
      'G="two',
      'lines"',
      'H=last',
    ].join('\r\n');
    expect(values(text)).toEqual({
      A: 'plain value',
      B: 'conclave://Work/db/password',
      C: 'single $HOME \\n # kept',
      D: 'double "x" \n\t$Y \\q',
      E: '',
      F: 'a#b=c',
      G: 'two\nlines',
      H: 'last',
    });
  });

  it.each([
    ['A=1\nnot an assignment', 2],
    ['1A=x', 1],
    ['A=1\nB="open\nfor ever', 2],
    ['\n\nA="x" y', 3],
    ['=x', 1],
  ])('%j is refused by its line, and not repeated', (text, line) => {
    expect(() => parseEnvFile(text, 'the.env')).toThrow(
      expect.objectContaining({ code: 'ENV_FILE_INVALID', message: expect.stringContaining(`the.env, line ${line}:`) }),
    );
    expect(() => parseEnvFile(`A="hunter2" hunter2`, 'F')).not.toThrow(/hunter2/);
  });

  it('keep what stands in single quotes', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes("'") && !one.includes('\r'));
    fc.assert(
      fc.property(text, (value) => {
        expect(values(`A='${value}'`)).toEqual({ A: value });
      }),
    );
  });
});

describe('the environment of a program', () => {
  it('has references of the environment and of files, later ones winning', () => {
    const env = { PATH: '/bin', A: 'conclave://v/e/a', B: 'conclave://v/e/b' };
    const found = variablesFor(env, parseEnvFile('B=1\nURL=x:{{ conclave://v/e/p }}@h\nB=2', 'F'));
    expect(found).toEqual([
      { name: 'A', parts: [{ vault: 'v', entry: 'e', field: 'a' }] },
      { name: 'B', parts: ['2'] },
      { name: 'URL', parts: ['x:', { vault: 'v', entry: 'e', field: 'p' }, '@h'] },
    ]);
  });

  it('loses all that is ours', () => {
    const env = { PATH: '/bin', CONCLAVE_MASTER_PASSWORD: 'x', CONCLAVE_SERVER: 'y', Conclave_Key: 'z', A: 'old' };
    expect(childEnvironment(env, [['A', 'new']])).toEqual({ PATH: '/bin', A: 'new' });
  });
});
