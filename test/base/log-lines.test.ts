import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bufferLines, createLog } from '../../src/base/log-lines.ts';
import type { LogFields, LogLevel } from '../../src/base/log.ts';
import { Problem } from '../../src/base/problem.ts';

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function lineOf(fields: LogFields, format: 'json' | 'text' = 'json'): string {
  let written = '';
  createLog({ level: 'debug', format, now, write: (line) => (written += line) }).info('something', fields);
  return written;
}

describe('a log', () => {
  it('drops what is below its level, also when that changes', () => {
    const written: string[] = [];
    let least: LogLevel = 'warn';
    const options = {
      level: () => least,
      format: 'json' as const,
      write: (line: string) => void written.push(line),
    };
    const log = createLog(options);
    const part = log.with({ part: 'some' });
    const say = (): void => {
      log.info('one');
      part.info('two');
      log.warn('three');
    };
    say();
    expect(written).toHaveLength(1);
    least = 'info';
    say();
    expect(written).toHaveLength(4);
    least = 'error';
    say();
    expect(written).toHaveLength(4);
  });
});

describe('a log line', () => {
  it('is one JSON object with time, level, message and fields', () => {
    expect(lineOf({ status: 200, path: '/x' })).toBe(
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"something","status":200,"path":"/x"}\n',
    );
  });

  it('is text for people, in which nothing can pretend to be another line', () => {
    expect(lineOf({ path: '/x', what: 'two\nlines' }, 'text')).toBe(
      '2026-01-02T03:04:05.006Z info  something path=/x what="two\\nlines"\n',
    );
  });

  it.each([
    ['a secret name', { password: 'canary' }],
    ['a secret name below', { request: { headers: { Authorization: 'canary' } } }],
    ['a key', { privateKey: 'canary' }],
    ['a body', { body: { username: 'canary' } }],
    ['a token in a text', { note: 'sent eyJhbGciOiJIUzI1NiJ9.canary9jYW5hcnkgY2FuYXJ5.c2lnbmF0dXJlIGNhbmFyeQ' }],
    ['a bearer in a text', { note: 'Authorization: Bearer canary' }],
    ['a basic in a text', { note: `Authorization: Basic ${Buffer.from('ann:canary').toString('base64')}` }],
    ['the password of a URL', { note: 'can’t reach postgres://ann:canary@db.example/x' }],
    ['the query of a URL', { note: 'GET https://a.example/x?token=canary' }],
    ['a long hex', { note: `key ${'c0ffee'.repeat(11)} is canary`.replace(' is canary', '') }],
    ['a long hex beside a public hash', { hash: `${'ab'.repeat(32)} ${'c0ffee'.repeat(11)}` }],
    ['a long hex in an object with a public name', { hash: { note: 'c0ffee'.repeat(11) } }],
    ['a hex of another length than a hash under a public name', { hash: 'c0ffee'.repeat(11) }],
    ['a long hex of the length of a hash', { note: `c0ffee${'ab'.repeat(29)}` }],
    ['the hash of a secret', { passwordHash: `c0ffee${'ab'.repeat(29)}`, tokenHash: `c0ffee${'ab'.repeat(29)}` }],
    ['bytes', { data: new TextEncoder().encode('canary') }],
    ['a function', { f: () => 'canary' }],
    ['the value of a wrapped error', { error: new Error('outer', { cause: new Error('postgres://a:canary@b/c') }) }],
    ['a field of an error', { error: Object.assign(new Error('failed'), { detail: 'Key (email)=(canary)' }) }],
  ])('hides %s', (_what, fields: LogFields) => {
    for (const format of ['json', 'text'] as const) {
      const line = lineOf(fields, format);
      expect(line).not.toMatch(/canary|c0ffee/);
      expect(line.length).toBeGreaterThan(50);
    }
  });

  it('hides app passwords', () => {
    const line = lineOf({ note: 'typed 0123-4567-89ab-cdef-ghjk-mnpq-rstv-wxyz-0110, and 0123-4567' });
    expect(JSON.parse(line)).toMatchObject({ note: 'typed [app password], and 0123-4567' });
  });

  it('shows public hashes in the fields that are named for them', () => {
    const hash = '0123456789abcdef'.repeat(4);
    const nodeId = hash.slice(0, 40);
    const fields = {
      poolId: hash,
      hash,
      prev: hash,
      counting: hash,
      root: hash,
      leafHash: hash,
      chainId: hash,
      nodeId,
      hashes: [hash, hash],
      list: { version: 3, hash },
    };
    expect(JSON.parse(lineOf(fields))).toMatchObject(fields);
    expect(lineOf({ poolId: hash }, 'text')).toContain(`poolId=${hash}`);
  });

  it('has no secret in its message, where a name protects nothing', () => {
    let written = '';
    const log = createLog({ level: 'debug', format: 'json', now, write: (line) => (written += line) });
    for (const secret of ['c0ffee'.repeat(11), 'postgres://ann:canary@db.example', 'Bearer canary'])
      log.warn(`the store said: ${secret}`);
    expect(written).not.toMatch(/canary|c0ffee/);
    expect(written.match(/the store said: /g)).toHaveLength(3);
  });

  it('keeps what one needs to know of an error', () => {
    const problem = new Problem('unavailable', 'STORE_FULL', 'The disk is full.', { cause: new TypeError('no room') });
    const { error } = JSON.parse(lineOf({ error: problem })) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      name: 'Problem',
      kind: 'unavailable',
      code: 'STORE_FULL',
      message: 'The disk is full.',
    });
    expect(error['cause']).toMatchObject({ name: 'TypeError', message: 'no room' });
    expect(error['stack']).toMatch(/^at .*log-lines\.test\.ts/);
  });

  it('is bounded and JSON, whatever it is given', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(lineOf({ circular }).length).toBeLessThan(1_000);
    expect(lineOf({ long: 'x'.repeat(1e6) }).length).toBeLessThan(3_000);
    fc.assert(
      fc.property(fc.object({ withBigInt: true, withDate: true, withTypedArray: true }), (fields) => {
        const line = lineOf(fields);
        expect(line.endsWith('}\n')).toBe(true);
        expect(() => JSON.parse(line) as unknown).not.toThrow();
      }),
    );
  });

  it('is dropped below the level', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', format: 'json', write: (line) => void lines.push(line) }).with({ a: 1 });
    log.debug('d');
    log.info('i');
    log.warn('w');
    log.error('e');
    expect(lines.map((line) => JSON.parse(line) as { message: string; a: number })).toMatchObject([
      { message: 'w', a: 1 },
      { message: 'e', a: 1 },
    ]);
  });
});

describe('buffered lines', () => {
  it('go out together after the turn, and at once with a warning', async () => {
    const written: string[] = [];
    const lines = bufferLines((text) => void written.push(text));
    lines.write('a\n', 'info');
    lines.write('b\n', 'debug');
    expect(written).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual(['a\nb\n']);
    lines.write('c\n', 'info');
    lines.write('d\n', 'warn');
    expect(written).toEqual(['a\nb\n', 'c\nd\n']);
    lines.write('e\n', 'info');
    lines.flush();
    expect(written.at(-1)).toBe('e\n');
  });
});
