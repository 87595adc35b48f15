import { execa } from 'execa';
import { sql } from 'kysely';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Login from '../../commands/login.ts';
import { services } from '../../src/node/services.ts';
import { openHome, rootPassword, ways, type Home } from '../cli/home.ts';
import { notebookService } from './notebook.ts';

const program = fileURLToPath(new URL('program.ts', import.meta.url));

async function run(lines: readonly (readonly string[])[] | undefined, env: NodeJS.ProcessEnv = {}) {
  const args = ['--import', 'tsx', program, ...(lines === undefined ? [] : [JSON.stringify(lines)])];
  return await execa(process.execPath, args, { env: { ...env, NO_COLOR: '1' }, reject: false, stdin: 'ignore' });
}

describe.each(ways)('the commands of a further service, by %s', (way) => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome(way, {
      services: [...services, notebookService],
      prepare: async ({ db }) => {
        const columns = sql`(id text primary key, member_id text, title text, reminded integer, drawing text)`;
        await sql`create table sample_notes ${columns}`.execute(db);
      },
    });
    const file = await home.file('password', rootPassword);
    expect(await home.run(Login, ['root', '--password-file', file])).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
  });

  it('add and list, as text and in JSON, a page or all', async () => {
    const done = await run(
      [
        ['notebook', 'add', 'Milk'],
        ['notebook', 'add', 'Bread', '--json'],
        ['notebook', 'list'],
        ['notebook', 'list', '--limit', '1', '--json'],
        ['notebook', 'list', '--all', '--json'],
      ],
      home.env,
    );
    expect(done.exitCode, done.stderr).toBe(0);
    const [, milk] = /^Added note ([0-9a-f]{32})\.\n/.exec(done.stdout)!;
    const [, bread] = /"id": ?"([0-9a-f]{32})"/.exec(done.stdout)!;
    expect(done.stdout).toContain(`\nBread\t${bread}\nMilk\t${milk}\n`);
    expect(done.stderr.trim()).toBe('There are more. Use --limit or --all.');
    const answers = done.stdout
      .slice(done.stdout.indexOf(`Milk\t${milk}`))
      .split('\n')
      .slice(1)
      .join('\n');
    const [page, all] = answers.split(/(?<=^\})\n/m).map((text) => JSON.parse(text) as { notes: object[] });
    const notes = [bread, milk].map((id, at) => ({
      id,
      title: ['Bread', 'Milk'][at],
      reminded: expect.any(Boolean) as boolean,
    }));
    expect([page, all]).toEqual([
      { notes: [notes[0]], hasMore: true, cursor: expect.any(String) as string },
      { notes, hasMore: false },
    ]);
  });

  it('say what is missing or wrong as every command does', async () => {
    const [missing, wrong] = await Promise.all([
      run([['notebook', 'add', '--json']], home.env),
      run([['notebook', 'add', 'x'.repeat(101), '--json']], home.env),
    ]);
    expect([missing.exitCode, missing.stdout]).toEqual([2, '']);
    expect(JSON.parse(missing.stderr).error).toMatchObject({
      code: 'INPUT_MISSING',
      fields: [{ path: 'title', message: 'is missing. Give it with an argument' }],
    });
    expect(wrong.exitCode).toBe(2);
    expect(JSON.parse(wrong.stderr).error).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ path: 'title' }] });
  });
});

describe('help', () => {
  it('shows the topic of a further service on its first page, and its commands below', async () => {
    const [first, topic, one] = await Promise.all([
      run(undefined),
      run([['notebook', '--help']]),
      run([['notebook', 'list', '--help']]),
    ]);
    expect(first.stdout).toMatch(/\nTOPICS\n(?: {2}.*\n)* {2}notebook +Your notes\n/);
    expect(topic.stdout).toMatch(/^Your notes\n/);
    expect(topic.stdout).toMatch(
      /\n {2}notebook add +Write a note\n {2}notebook list +List your notes by their titles/,
    );
    expect(one.stdout).toMatch(/--limit=N +\[default: 200\] show at most this many/);
  });
});
