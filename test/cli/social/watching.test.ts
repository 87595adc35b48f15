import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Follow from '../../../commands/social/follow.ts';
import Send from '../../../commands/social/message/send.ts';
import PostCommand from '../../../commands/social/post.ts';
import Reply from '../../../commands/social/reply.ts';
import Quote from '../../../commands/social/quote.ts';
import Thread from '../../../commands/social/thread.ts';
import TimelineCommand from '../../../commands/social/timeline.ts';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { program } from '../../support/program.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

const hidden = '\u001b[?25l';

let people: MailPeople;
beforeAll(async () => {
  people = await openMailPeople('url', ['ada', 'bob']);
  await people.run('bob', Follow, ['ada']);
});
afterAll(async () => await people[Symbol.asyncDispose]());

const written = async (name: string, text: string): Promise<string> =>
  (await people.run(name, PostCommand, [text, '--json'])).json()['_id'];

/** Runs a command that watches in a process of its own until it said enough, and then presses Ctrl-C. */
async function watched(argv: string[], happens: () => Promise<unknown>, enough: (stdout: string) => boolean) {
  const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] };
  const child = execa(...program(...argv), { env, reject: false, stdin: 'ignore' });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString('utf8')));
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString('utf8')));
  try {
    await expect.poll(() => stderr).toContain('Watching. Press Ctrl-C to stop.');
    await happens();
    await expect.poll(() => enough(stdout)).toBe(true);
  } finally {
    child.kill('SIGINT');
  }
  const { signal, exitCode } = await child;
  return { stdout, stderr, code: signal === 'SIGINT' ? 130 : exitCode };
}

describe('a watch, in a process of its own beside a server', () => {
  it('shows new posts as they come, and ends at Ctrl-C as a shell expects it', { tags: 'thorough' }, async () => {
    await written('ada', 'Before');
    let sent = 0;
    const ended = await watched(
      ['social', 'timeline', '--watch'],
      async () => {
        // What is there at its first look is not news to it.
        await written('ada', 'News of tea');
      },
      (stdout) => {
        if (!stdout.includes('News of tea') && (sent += 1) % 10 === 0) void written('ada', 'News of tea');
        return stdout.includes('News of tea');
      },
    );
    expect(ended.code).toBe(130);
    expect(ended.stdout).not.toContain('Before');
    expect(ended.stderr).not.toContain(hidden);
    expect(ended.stderr).not.toMatch(/Error|at .*\.ts/);
  });

  it('shows message requests beside messages', async () => {
    const ended = await watched(
      ['social', 'message', 'watch', '--json'],
      // They do not follow each other.
      async () => await people.run('ada', Send, ['bob', 'Tea at four?']),
      (stdout) => stdout.includes('Tea at four?'),
    );
    expect(ended.code).toBe(130);
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { request: { senderUsername: 'ada', messagePreview: 'Tea at four?', status: 'pending' } },
    ]);
  });

  it('shows notifications, as JSON for scripts', { tags: 'soak' }, async () => {
    const ended = await watched(
      ['social', 'notifications', '--watch', '--json'],
      async () => await written('ada', 'Hello @bob'),
      (stdout) => stdout.includes('mentioned you.'),
    );
    expect(ended.code).toBe(130);
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: 'mention', content: 'ada mentioned you.' }]);
    expect(ended.stderr).not.toContain(hidden);
  });
});

describe('posts on a terminal of 80 columns', () => {
  it('have no line that is longer but a link, whatever they say', { tags: 'soak' }, async () => {
    const measure = await loadMeasure();
    const texts = [
      'a'.repeat(200),
      `https://example.org/${'path/'.repeat(30)}`,
      '漢字仮名'.repeat(40),
      `${'👩‍👩‍👧‍👦'.repeat(50)} and families`,
      `${'#verylonghashtagthatgoeson'.repeat(6)} @bob ${'wide text '.repeat(10)}`,
      `e\u0301`.repeat(150),
      'Tab\tand\u202ereversed \u2066isolated '.repeat(6),
    ];
    let above = await written('ada', 'Root');
    const root = above;
    for (const text of texts) {
      const answered = await people.run('bob', Reply, [above, text, '--json']);
      expect(answered.stderr).toBe('');
      above = answered.json()['_id'];
    }
    for (const text of texts) await people.run('ada', Quote, [above, text]);
    for (const [command, argv] of [
      [Thread, [root]],
      [TimelineCommand, ['public', '--limit', '50']],
      [TimelineCommand, ['user', 'ada']],
    ] as const) {
      const shown = await people.run('bob', command, [...argv], { person: [] });
      expect(shown.code).toBe(0);
      // oxlint-disable-next-line no-control-regex -- colours have no width
      const lines = shown.stdout.split('\n').map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, ''));
      expect(lines.length).toBeGreaterThan(30);
      const wide = lines.filter((line) => measure(line) > 80);
      // A link stays whole, so that a terminal can follow it.
      expect(wide.filter((line) => !/^[ |]*https:\/\/example\.org\/[a-z/]*$/.test(line))).toEqual([]);
    }
  });
});
