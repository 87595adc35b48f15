import { mkdir, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Edit from '../../../commands/chat/edit.ts';
import Export from '../../../commands/chat/export.ts';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import Create from '../../../commands/chat/group/create.ts';
import React from '../../../commands/chat/react.ts';
import Remove from '../../../commands/chat/remove.ts';
import Send from '../../../commands/chat/send.ts';
import SendSocial from '../../../commands/social/message/send.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

let people: MailPeople;
beforeAll(async () => void (people = await openMailPeople('url', ['ada', 'bob'])));
afterAll(async () => await people[Symbol.asyncDispose]());

const at = (...parts: string[]) => join(people.home.folder, ...parts);
const run = async (argv: readonly string[], who = 'ada') => await people.run(who, Export, argv);
const text = async (...parts: string[]) => await readFile(at(...parts), 'utf8');
// oxlint-disable-next-line typescript/no-explicit-any -- lines as they are
const linesIn = async (...parts: string[]): Promise<any[]> =>
  (await text(...parts, 'messages.jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Uploads files under names that a file of a test cannot have, and sends them. */
async function sendFiles(to: string, files: readonly (readonly [name: string, content: string])[]): Promise<string> {
  const authorization = `Bearer ${people.tokens['ada']}`;
  const api = async (path: string, body: string, type: string) => {
    const init = { method: 'POST', headers: { authorization, 'content-type': type }, body };
    const { data } = (await (await fetch(`${people.home.ready?.url}${path}`, init)).json()) as { data: { id: string } };
    return data.id;
  };
  const attachments = [];
  for (const [name, content] of files)
    attachments.push(
      await api(`/api/chat/attachments?filename=${encodeURIComponent(name)}`, content, 'application/octet-stream'),
    );
  const body = JSON.stringify({ content: 'Files', attachments });
  return await api(`/api/groups/${to}/messages`, body, 'application/json');
}

describe('conversations that are exported', () => {
  it('are folders of messages, members and files, for their owner alone, and go on later', async () => {
    await people.run('ada', Send, ['bob', 'Hello']);
    const sent = (await people.run('ada', Send, ['bob', 'Wrong', '--json'])).json();
    await people.run('ada', Edit, ['bob', sent.id, 'Right']);
    await people.run('bob', React, ['ada', sent.id, '👍']);
    const gone = (await people.run('bob', Send, ['ada', 'A secret', '--reply', sent.id, '--json'])).json();
    await people.run('bob', Remove, ['ada', gone.id, '--yes']);
    await people.run('ada', SendSocial, ['bob', 'Socially']);
    const dir = at('all');
    const first = await run(['--to', dir, '--json']);
    expect(first).toMatchObject({ code: 0 });
    expect(first.json()).toMatchObject({
      dir,
      failed: [],
      conversations: [
        { title: 'bob', folder: 'bob', messages: 3, added: 3, attachments: 0, unreadable: 0 },
        { title: 'bob', folder: 'bob-2', messages: 1 },
      ],
    });
    expect(await linesIn('all', 'bob')).toMatchObject([
      { seq: 1, senderName: 'ada', content: 'Hello', edits: [], attachments: [], replyToMessageId: null },
      { seq: 2, content: 'Right', edits: [{ content: 'Wrong' }], reactions: [{ emoji: '👍' }] },
      { seq: 3, senderName: 'bob', content: null, deleted: true, deletedAt: expect.any(String) },
    ]);
    expect(await text('all', 'bob', 'messages.jsonl')).not.toContain('A secret');
    expect(await linesIn('all', 'bob-2')).toMatchObject([{ seq: 1, senderName: 'ada', content: 'Socially' }]);
    expect(JSON.parse(await text('all', 'bob', 'conversation.json'))).toMatchObject({
      kind: 'direct',
      mode: 'server',
      title: 'bob',
      messages: 3,
      complete: true,
      members: [{}, {}],
    });
    for (const [name, mode] of [
      ['', 0o700],
      ['export.json', 0o600],
      ['bob', 0o700],
      ['bob/messages.jsonl', 0o600],
      ['bob/conversation.json', 0o600],
    ] as const)
      expect((await stat(at('all', name))).mode & 0o777, name).toBe(mode);
    const before = await text('all', 'bob', 'messages.jsonl');
    await people.run('bob', Send, ['ada', 'Later']);
    const second = await run(['bob', '--to', dir]);
    expect(second.stderr).toContain(`Wrote 1 message of 1 conversation to ${dir}.`);
    expect(await text('all', 'bob', 'messages.jsonl')).toMatch(
      new RegExp(`^${before.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\{"seq":4,`),
    );
    expect((await readdir(dir)).toSorted()).toEqual(['bob', 'bob-2', 'export.json']);
  });

  it('have files under safe names, each whatever it is called', { tags: 'thorough' }, async () => {
    for (const name of ['CON', 'con', '../up', 'Tea: "now"?']) await people.run('ada', Create, [name, 'bob']);
    const group = (await people.run('ada', Create, ['files', 'bob', '--json'])).json();
    const names = ['a.txt', 'A.TXT', 'a.txt', '..hidden', 'nul.txt', 'x:y|z*.bin', '\u0442.txt'];
    await sendFiles(
      group.id,
      names.map((name, index) => [name, `content ${index}`]),
    );
    await sendFiles(group.id, [['a.txt', 'other']]);
    expect((await run(['--to', at('names')])).code).toBe(0);
    const folders = await readdir(at('names'));
    expect(folders.map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(['_con', '_con-2', 'up']));
    expect(folders).toContain('Tea_ _now__');
    const [, first, second] = [{}, ...(await linesIn('names', 'files'))];
    const paths = first.attachments.map(({ path }: { path: string }) => path);
    expect(paths).toEqual([
      'attachments/1-a.txt',
      'attachments/1-A-2.TXT',
      'attachments/1-a-3.txt',
      'attachments/1-hidden',
      'attachments/1-_nul.txt',
      'attachments/1-x_y_z_.bin',
      'attachments/1-\u0442.txt',
    ]);
    for (const [index, path] of paths.entries()) {
      expect(await text('names', 'files', path)).toBe(`content ${index}`);
      expect((await stat(at('names', 'files', path))).mode & 0o777).toBe(0o600);
    }
    expect(first.attachments[3]).toMatchObject({ filename: '..hidden', size: 9 });
    expect(await text('names', 'files', second.attachments[0].path)).toBe('other');
  });

  it('change nothing of somebody else', { tags: 'thorough' }, async () => {
    const write = async (name: string) => {
      await mkdir(at(name), { recursive: true });
      await writeFile(at(name, 'mine.txt'), 'mine');
    };
    await write('foreign');
    const foreign = await run(['--to', at('foreign')]);
    expect([foreign.code, foreign.stderr]).toEqual([7, expect.stringContaining('has other files')]);
    expect(await readdir(at('foreign'))).toEqual(['mine.txt']);
    const other = await run(['--to', at('all')], 'bob');
    expect([other.code, other.stderr]).toEqual([7, expect.stringContaining('of another account')]);
    // A folder that another program has made there keeps its name.
    await mkdir(at('fresh'));
    expect((await run(['bob', '--to', at('fresh')])).code).toBe(0);
    await write('fresh/files');
    expect((await run(['files', '--to', at('fresh')])).code).toBe(0);
    expect(await readdir(at('fresh', 'files'))).toEqual(['mine.txt']);
    expect((await linesIn('fresh', 'files-2')).length).toBe(2);
    expect((await run(['nobody', '--to', at('nothing')])).code).toBe(6);
    await expect(stat(at('nothing'))).rejects.toThrow('ENOENT');
  });

  it(
    'are completed after whatever a killed process leaves, and one that fails stops no other',
    { tags: 'thorough' },
    async () => {
      expect((await run(['--to', at('killed')])).code).toBe(0);
      const whole = await text('killed', 'files', 'messages.jsonl');
      // A torn line, a file without its line, and files that were being written.
      const part = at('killed', 'files', 'messages.jsonl.part');
      await rename(at('killed', 'files', 'messages.jsonl'), part);
      await truncate(part, whole.indexOf('\n') + 20);
      const rest = ['attachments/0123456789ab.0123456789ab.part', 'conversation.json.0123456789ab.part'];
      for (const name of rest) await writeFile(at('killed', 'files', name), 'x');
      await mkdir(at('killed', `.new-${'0'.repeat(32)}`));
      // What another program has changed is left alone, with a word.
      const foreign = at('killed', 'bob', 'messages.jsonl');
      await writeFile(foreign, 'no line of ours\n');
      const again = await run(['--to', at('killed'), '--json']);
      expect(again.code).toBe(7);
      expect(again.json().failed).toMatchObject([{ path: 'bob', code: 'FILE_EXISTS' }]);
      expect(await readFile(foreign, 'utf8')).toBe('no line of ours\n');
      expect(await text('killed', 'files', 'messages.jsonl')).toBe(whole);
      expect(await readdir(at('killed', 'files', 'attachments'))).toHaveLength(8);
      expect((await readdir(at('killed', 'files'))).toSorted()).toEqual([
        'attachments',
        'conversation.json',
        'messages.jsonl',
      ]);
      expect(await readdir(at('killed'))).not.toContain(`.new-${'0'.repeat(32)}`);
    },
  );

  it('of nobody is an empty export', { tags: 'thorough' }, async () => {
    await people.run('bob', CreateChannel, ['quiet']);
    const { code, stderr } = await run(['quiet', '--to', at('quiet')], 'bob');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Wrote 0 messages of 1 conversation')]);
    expect(await text('quiet', 'quiet', 'messages.jsonl')).toBe('');
  });
});
