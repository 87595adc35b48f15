import { expect, it } from 'vitest';
import Create from '../../../commands/chat/group/create.ts';
import Leave from '../../../commands/chat/leave.ts';
import Send from '../../../commands/chat/send.ts';
import { eventually } from '../../support/eventually.ts';
import { openMailPeople } from '../mail/mail-people.ts';

it('leaving all conversations is asked before, and says what is left', async () => {
  await using people = await openMailPeople('url', ['ada', 'bob']);
  await people.run('ada', Send, ['bob', 'Hello']);
  await people.run('ada', Create, ['Tea party', 'bob']);
  const before = await people.run('ada', Leave);
  expect(before).toMatchObject({
    code: 0,
    stdout: 'You have something in 2 conversations. To leave all of them: conclave chat leave --all\n',
  });
  const env = { CONCLAVE_PASSWORD: 'the long secret of ada' };
  const unasked = await people.run('ada', Leave, ['--all'], { env });
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const wrong = await people.run('ada', Leave, ['--all', '--yes'], { env: { CONCLAVE_PASSWORD: 'another one' } });
  expect(wrong.code).toBe(4);
  expect((await people.run('ada', Leave, ['--json'])).json()).toEqual({ leaving: false, conversations: 2 });
  const left = await people.run('ada', Leave, ['--all', '--yes'], { env });
  expect(left.stdout).toMatch(/^You are leaving: 2 conversations to go\. /);
  // The server does it in the background.
  await eventually(async () =>
    expect((await people.run('ada', Leave, ['--json'])).json()).toEqual({ leaving: false, conversations: 0 }),
  );
});
