import { describe, expect, it } from 'vitest';
import { cycles, forbiddenImports, median, offences, upwardImports } from './support/architecture.ts';
import { floors, upward } from './support/floors.ts';
import { foreignNumbers } from './support/foreign-numbers.ts';
import { unusedExports } from './support/unused-exports.ts';
import { importsOf, readSources, type SourceFile } from './support/source-files.ts';

describe('the architecture', async () => {
  const files = await readSources();
  const imports = files.flatMap(importsOf);

  it('is read from the files that are there', () => {
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['src/base/problem.ts', 'bin/run.js', 'test/architecture.test.ts']),
    );
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it('imports from floors below, as far as the design lets each of them see', () => {
    expect(forbiddenImports(imports)).toEqual([]);
  });

  it('imports from higher floors only what a list names with a reason, at most six', () => {
    expect(upwardImports(imports)).toEqual(Object.entries(upward).map(([from, { to }]) => `${from} → ${to}`));
    expect(Object.keys(upward).length).toBeLessThanOrEqual(6);
  });

  it('has each room on one floor, and on each floor what is there', () => {
    const rooms = floors.flatMap((floor) => floor.rooms);
    expect(new Set(rooms).size).toBe(rooms.length);
    const paths = files.map(({ path }) => path);
    const there = (room: string) => {
      const folder = room.replace(/\*$/, '');
      return paths.some((path) => path.startsWith(`src/${folder}`) || path.startsWith(`${folder}/`));
    };
    expect(rooms.filter((room) => !there(room))).toEqual([]);
  });

  it('has no circles', () => {
    const found = cycles(imports);
    process.stdout.write(`${found.length} circles of imports among ${files.length} files\n`);
    expect(found).toEqual([]);
  });

  it('has no file that is too long, a barrel, unfinished or silenced', () => {
    expect(files.flatMap(offences)).toEqual([]);
  });

  it('reads numbers that come from outside in one strict way', () => {
    expect(foreignNumbers(files)).toEqual([]);
  });

  it('exports what another file imports, and nothing else', () => {
    expect(unusedExports(files)).toEqual([]);
  });

  it('knows in one place of its tests how the program is started, so that they run with the program in one file as well', () => {
    const knowing = files.filter(
      ({ path, text }) => path.startsWith('test/') && /^(?:export )?const .*new URL\('[./]+bin\/run\.js'/m.test(text),
    );
    expect(knowing.map(({ path }) => path)).toEqual(['test/support/program.ts']);
  });

  it('has short commands', () => {
    const lengths = files
      .filter(({ path }) => path.startsWith('commands/'))
      .map(({ text }) => text.trimEnd().split('\n').length);
    expect(lengths.length < 10 ? 0 : median(lengths)).toBeLessThanOrEqual(30);
  });
});

describe('an export', () => {
  const user = (text: string) => ({ path: 'src/b/user.ts', text });
  const source = {
    path: 'src/a/source.ts',
    text: ['export function first() {}', 'export const { one: second } = all;', 'export class Third {}'].join('\n'),
  };
  const unused = (text: string) => unusedExports([source, user(text)]).map((line) => line.split(' ')[2]);

  it('is unused until another file takes it, by its name or with the whole', () => {
    expect(unused('')).toEqual(['first,', 'second,', 'Third,']);
    expect(unused("import { first as last, type Third } from '../a/source.ts';")).toEqual(['second,']);
    expect(unused("const { second } = await import('../a/source.ts');")).toEqual(['first,', 'Third,']);
    expect(unused("import * as all from '../a/source.ts';\nall.first(new all.Third());")).toEqual(['second,']);
    expect(unused("import { first } from '../c/source.ts';")).toEqual(['first,', 'second,', 'Third,']);
  });
});

/** For what this file must not say itself. */
function inPieces(...pieces: string[]): string {
  return pieces.join('');
}

function file(path: string, ...lines: string[]): SourceFile {
  return { path, text: `${lines.join('\n')}\n` };
}

function forbidden(path: string, line: string): string[] {
  return forbiddenImports(importsOf(file(path, line)));
}

describe('the checks on the architecture', () => {
  it('read every form of import', () => {
    const text = [
      `import { readFile } from 'node:fs/promises';`,
      `import type { A } from './a.ts';`,
      'import {\n  b,\n  type C,\n} from "../platform/store/b.ts";',
      `import './side-effect.ts';`,
      `export { d } from './d.ts';`,
      `  const { e } = await import('./e.ts');`,
      `// import { f } from './f.ts'; await import('./f.ts')`,
      ` * import('./g.ts')`,
      `import { sha256 } from '@noble/hashes/sha2.js';`,
    ];
    expect(importsOf(file('src/http/x.ts', ...text)).map(({ to, kind }) => `${kind} ${to}`)).toEqual([
      'static node:',
      'type src/http/a.ts',
      'static src/platform/store/b.ts',
      'static src/http/side-effect.ts',
      'static src/http/d.ts',
      'static @noble/hashes',
      'dynamic src/http/e.ts',
    ]);
  });

  it.each([
    ['commands/serve.ts', `import { openDatabase } from '../src/platform/store/open.ts';`],
    ['commands/admin/x.ts', `import { serve } from '../../src/node/listeners/serve.ts';`],
    ['src/cli/kit/x.ts', `import { openEngine } from '../../node/engine.ts';`],
    ['src/client/x.ts', `import { openEngine } from '../node/engine.ts';`],
    ['src/client/x.ts', `import { mint } from '../services/accounts/tokens.ts';`],
    ['src/crypto/x.ts', `import { Problem } from '../base/problem.ts';`],
    ['src/crypto/x.ts', `import { parseProof } from './formats/ledger/proof-file.ts';`],
    ['src/crypto/formats/x.ts', `import type { NodeKeys } from '../../config/node-keys.ts';`],
    ['src/service/x.ts', `import type { Hub } from '../platform/realtime/hub.ts';`],
    ['src/config/x.ts', `import { fileSettings } from '../services/filevault/settings.ts';`],
    ['src/platform/ledger/x.ts', `import type { Gossip } from '../network/network.ts';`],
    ['src/crypto/x.ts', `import type { Context } from '../service/context.ts';`],
    ['src/base/problem.ts', `import { sha256 } from '../crypto/hash.ts';`],
    ['src/platform/store/x.ts', `import { register } from '../../services/accounts/registration.ts';`],
    ['src/platform/store/x.ts', `const { a } = await import('../../services/pool/a.ts');`],
    ['src/services/accounts/x.ts', `import { post } from '../pool/post.ts';`],
    ['src/services/pool/x.ts', `import { member } from '../accounts/members.ts';`],
    ['src/services/mail/x.ts', `import { member } from '../accounts/members.ts';`],
    ['src/services/passvault/x.ts', `import { assertStillSignedIn } from '../accounts/sign-in/sessions.ts';`],
    ['src/services/accounts/x.ts', `import { accounts } from '../../contract/accounts.ts';`],
    ['src/services/accounts/x.ts', `import { mount } from '../../http/mount.ts';`],
    ['src/services/accounts/x.ts', `import { H3 } from 'h3';`],
    ['src/services/accounts/x.ts', `import pg from 'pg';`],
    ['src/contract/x.ts', `import { hash } from 'node:crypto';`],
    ['src/contract/x.ts', `import { Problem } from '../base/problem.ts';`],
    ['src/http/x.ts', `import { sql } from 'kysely';`],
    ['src/http/x.ts', `import { serve } from '../node/listeners/serve.ts';`],
    ['src/unheard-of/x.ts', `import { Problem } from '../base/problem.ts';`],
    ['src/cli/x.ts', `import { house } from '../../test/support/house.ts';`],
  ])('refuse in %s: %s', (path, line) => {
    expect(forbidden(path, line)).toHaveLength(1);
  });

  it.each([
    ['commands/serve.ts', `const { serve } = await import('../src/node/listeners/serve.ts');`],
    ['src/client/x.ts', `const { openEngine } = await import('../node/engine.ts');`],
    ['src/client/operator-token.ts', `import { mintOperatorToken } from '../shared/members/tokens.ts';`],
    ['src/services/accounts/x.ts', `import type { accounts } from '../../contract/accounts.ts';`],
    ['src/services/accounts/x.ts', `import type { Implementation } from '../../service/service-parts.ts';`],
    ['src/services/accounts/x.ts', `import { sql } from 'kysely';`],
    ['src/services/mail/x.ts', `import { publicKeysOf } from '../../shared/members/public-keys.ts';`],
    ['src/contract/x.ts', `import * as v from 'valibot';`],
    ['src/crypto/formats/x.ts', `import { Problem } from '../../base/problem.ts';`],
    ['src/platform/network/x.ts', `import type { GossipPort } from '../../service/ports/network.ts';`],
    ['src/http/smtp/x.ts', `import { counter } from '../counter.ts';`],
    ['test/services/pool/x.test.ts', `import { post } from '../../../src/services/pool/post.ts';`],
  ])('allow in %s: %s', (path, line) => {
    expect(forbidden(path, line)).toEqual([]);
  });

  it('find cycles, also through types', () => {
    const round = [
      file('src/platform/store/a.ts', `import { b } from './b.ts';`),
      file('src/platform/store/b.ts', `import type { C } from './c.ts';`),
      file('src/platform/store/c.ts', `import { a } from './a.ts';`),
      file('src/platform/store/d.ts', `import { a } from './a.ts';`),
    ];
    expect(cycles(round.flatMap(importsOf))).toEqual([
      'src/platform/store/a.ts → src/platform/store/b.ts → src/platform/store/c.ts → src/platform/store/a.ts',
    ]);
    expect(cycles(round.slice(1).flatMap(importsOf))).toEqual([]);
  });

  it.each([
    [file('src/long.ts', ...Array<string>(401).fill('//'))],
    [file('commands/long.ts', ...Array<string>(61).fill('//'))],
    [file('src/mail/index.ts', 'export const a = 1;')],
    [file('src/mail/utils.ts', 'export const a = 1;')],
    [file('src/helpers/a.ts', 'export const a = 1;')],
    [file('src/mail/send-service.ts', 'export const a = 1;')],
    [file('src/mail/all.ts', `export * from './a.ts';`)],
    [file('src/mail/a.ts', inPieces('// TO', 'DO: later'))],
    [file('test/a.test.ts', inPieces('it.on', "ly('works', () => {});"))],
    [file('test/a.test.ts', inPieces('describe.sk', "ip.each([1])('works', () => {});"))],
    [file('src/a.ts', inPieces('// oxlint', '-disable-next-line no-console'))],
    [file('src/a.ts', inPieces('// see ../sha', 'red/spec'))],
    [file('scripts/a.mjs', inPieces("const root = '/wo", "rk/main';"))],
  ])('refuse %j', (offender) => {
    expect(offences(offender)).toHaveLength(1);
  });

  it.each([
    'const a = Number(text);',
    'const a = texts.map(Number);',
    'const a = parseInt(text, 10);',
    'const a = Number.parseInt(text, 10);',
    'const a = Number.parseFloat(text);',
    'const a = +text;',
    'return +request.headers.get("age");',
    'list.push(+text);',
  ])('see a number that is read loosely: %s', (line) => {
    expect(foreignNumbers([file('src/http/x.ts', line)])).toHaveLength(1);
    expect(foreignNumbers([file('commands/x.ts', line)])).toHaveLength(1);
    expect(foreignNumbers([file('test/x.test.ts', line)])).toEqual([]);
  });

  it.each(['const a = Number.isSafeInteger(b);', 'const a = b + c;', 'a += b;', '// Number(text)', 'a++;'])(
    'see none in %s',
    (line) => {
      expect(foreignNumbers([file('src/http/x.ts', line)])).toEqual([]);
    },
  );

  it('allow what is within the limits', () => {
    const fine = [
      file('src/long.ts', ...Array<string>(400).fill('//')),
      file('src/a.ts', inPieces('// oxlint', '-disable-next-line no-console -- the terminal is the log here')),
      file('test/a.test.ts', `it.skipIf(process.getuid?.() === 0)('works', () => {});`),
      file('src/mail/service-names.ts', 'export const a = 1;'),
      file('src/mail/shared.ts', `import { a } from '../shared-folder.ts';`),
    ];
    expect(fine.flatMap(offences)).toEqual([]);
  });
});
