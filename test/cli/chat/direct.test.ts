import { expect, it } from 'vitest';
import Direct from '../../../commands/chat/direct.ts';
import CreateGroup from '../../../commands/chat/group/create.ts';
import { openMailPeople } from '../mail/mail-people.ts';

it('conversations of two are listed and begun by a command of their own', async () => {
  await using people = await openMailPeople('url', ['bob', 'dan']);
  const run = async (...argv: string[]) => await people.run('dan', Direct, argv);
  const none = await run();
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are no conversations here.\n' });
  const first = (await run('bob', 'Tea, Bob?', '--json')).json();
  expect(first).toMatchObject({ content: 'Tea, Bob?', seq: 1 });
  const second = await people.run('dan', Direct, ['bob'], { stdin: 'Or coffee?' });
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('\tOr coffee?\n') });
  expect((await people.run('dan', CreateGroup, ['Dan and all', 'bob'])).code).toBe(0);
  const { items } = (await run('--json')).json();
  expect(items).toMatchObject([{ id: first.conversationId, title: 'bob', lastSeq: 2 }]);
  expect((await run()).stdout).toMatch(/^bob\t0\t/);
  expect((await run('--archived', '--json')).json().items).toEqual([]);
  const toGroup = await run('Dan and all', 'Hello');
  expect(toGroup).toMatchObject({ code: 2, stdout: '' });
  expect(toGroup.stderr.replaceAll(/\s+/g, ' ')).toContain('is a group or channel');
});
