import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Social from '../../../commands/social.ts';
import Bookmarks from '../../../commands/social/bookmarks.ts';
import FilterAdd from '../../../commands/social/filter/add.ts';
import Follow from '../../../commands/social/follow.ts';
import CreateHub from '../../../commands/social/hub/create.ts';
import PostCommand from '../../../commands/social/post.ts';
import Reply from '../../../commands/social/reply.ts';
import Thread from '../../../commands/social/thread.ts';
import Timeline from '../../../commands/social/timeline.ts';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { socialHelp } from '../../../src/cli/social/reader/help.ts';
import { linesOf } from '../../../src/cli/social/reader/rows.ts';
import { openNewPosts } from '../../../src/cli/social/timelines.ts';
import { watchNewPosts } from '../../../src/cli/social/watch-timeline.ts';
import { openClient } from '../../../src/client/client.ts';
import { perform } from '../../../src/client/perform.ts';
import { social } from '../../../src/contract/social.ts';
import type { Post } from '../../../src/contract/social/post.ts';
import { gif } from '../../services/filevault/pictures.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';
import { keys } from '../run-command.ts';
import { slowly } from '../../support/real-time.ts';

describe.each(fewWays)('the reader of the social network, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => {
    people = await openMailPeople(way, ['ada', 'bob', 'cleo']);
    await people.run('bob', Follow, ['ada']);
  });
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const written = async (name: string, text: string, ...flags: string[]): Promise<string> =>
    (await run(name, PostCommand, [text, ...flags, '--json'])).json()['_id'];
  const texts = async (name: string, ...argv: string[]): Promise<string[]> =>
    (await run(name, Timeline, [...argv, '--json'])).json().posts.map(({ content }: Post) => content);
  /** An editor that writes a text, whatever was there. */
  const writing = async (text: string): Promise<NodeJS.ProcessEnv> => ({
    EDITOR: `sh ${await people.home.file('editor.sh', `printf '${text}\\n' > "$1"\n`)}`,
  });
  const help = 'q:back';

  it('lists the home timeline without a terminal, and knows no other words', async () => {
    expect(await run('cleo', Social)).toMatchObject({ code: 0, stdout: '', stderr: 'There are no posts here.\n' });
    expect((await run('cleo', Social, ['--json'])).json()).toMatchObject({ posts: [], hasMore: false });
    const id = await written('ada', 'First');
    expect((await run('bob', Social)).stdout).toContain(`${id}\t`);
    const sent = await run('bob', Social, [], { person: [], redirected: true });
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id}\t`), stderr: '' });
    const wrong = await run('bob', Social, ['timelin']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no command "social timelin".')]);
  });

  it('opens a thread, likes, bookmarks, votes and reposts, and takes all of it back', async () => {
    const id = await written('ada', 'Tea at four.');
    await run('cleo', Reply, [id, 'I come.']);
    const reading = await run('bob', Social, [], {
      person: [
        [help, [keys.enter]],
        ['home > thread', ['l']],
        ['You like the post.', ['m']],
        ['Bookmarked.', ['+']],
        ['The score of the post is 1.', ['b']],
        ['You reposted the post.', ['j', 'l']],
        ['You like the post.', ['q']],
        ['[1 home]', ['q']],
      ],
    });
    expect(reading).toMatchObject({ code: 0, stdout: '' });
    expect(reading.stderr.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(reading.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect((await run('bob', Thread, [id, '--json'])).json()).toMatchObject({
      rootPost: { liked: true, bookmarked: true, vote: 1, reposted: true },
      replies: [{ content: 'I come.', liked: true }],
    });
    expect((await run('bob', Bookmarks, ['--json'])).json().posts).toMatchObject([{ _id: id }]);
    await run('bob', Social, [], {
      person: [
        [help, ['l']],
        ['Your like is taken back.', ['m']],
        ['Bookmark removed.', ['+']],
        ['The score of the post is 0.', ['b']],
        ['Your repost is taken back.', ['b']],
        ['You reposted the post.', ['b']],
        ['Your repost is taken back.', ['b']],
        ['You reposted the post.', ['q']],
      ],
    });
    await run('bob', Social, [], {
      person: [
        [help, ['d']],
        ['Take this repost back?', 'y'],
        ['Your repost is taken back.', ['q']],
      ],
    });
    expect((await run('bob', Thread, [id, '--json'])).json().rootPost).toMatchObject({
      liked: false,
      bookmarked: false,
      vote: 0,
      repostCount: 0,
    });
  });

  it('writes posts, replies and quotes in the editor, with warnings and media', async () => {
    const file = `${people.home.folder}/tulips.gif`;
    await writeFile(
      file,
      gif(16, 8, () => true),
    );
    const id = await written('ada', 'Questions?');
    const wrote = await run('bob', Social, [], {
      env: await writing('Answer.'),
      person: [
        [help, ['r']],
        ['Reply to @ada:', ['f']],
        ['Picture, video or sound', `${people.home.folder}/none.gif`],
        ['none.gif cannot be read', ['f']],
        ['Picture, video or sound', file],
        ['What it shows', 'Tulips'],
        ['Attached: ', ['w']],
        ['What readers are told', 'flowers'],
        ['Reply to @ada:', ['s']],
        ['Sent.', ['Q']],
        ['Quote @ada:', ['s']],
        ['Sent.', ['c']],
        ['Post:', ['x']],
        ['Throw the text away?', ['n']],
        ['Post:', ['x']],
        ['Throw the text away?', ['x']],
        ['The text was discarded.', ['q']],
      ],
    });
    expect(wrote).toMatchObject({ code: 0 });
    expect(wrote.stderr).toContain('> Questions?\nReply to @ada:');
    expect(wrote.stderr).toContain('> Questions?\nQuote @ada:');
    const thread = (await run('ada', Thread, [id, '--json'])).json();
    expect(thread.replies).toMatchObject([
      { content: 'Answer.', contentWarning: 'flowers', mediaAttachments: [{ altText: 'Tulips' }] },
    ]);
    expect(thread.rootPost).toMatchObject({ replyCount: 1, quoteCount: 1 });
    const long = await run('bob', Social, [], {
      env: await writing('x'.repeat(281)),
      person: [
        [help, ['c']],
        ['Post:', ['s']],
        ['280', ['x']],
        ['Throw the text away?', ['y']],
        ['The text was discarded.', ['q']],
      ],
    });
    expect(long).toMatchObject({ code: 0 });
  });

  it('folds what is warned of, filtered or sensitive, and shows nothing raw', async () => {
    await written('ada', 'Secret \u202e soup', '--warning', 'Food');
    await run('bob', FilterAdd, ['weather']);
    await written('ada', 'The weather is fine.');
    const folded = await run('bob', Social, [], { person: [[help, ['j', 'q']]] });
    expect(folded.stderr).toContain('[Food]');
    expect(folded.stderr).toContain('[filter: weather]');
    expect(folded.stderr).not.toContain('soup');
    expect(folded.stderr).not.toContain('weather is fine');
    const answering = await run('bob', Social, [], {
      env: await writing('Answer.'),
      person: [
        [help, ['r']],
        ['Reply to @ada:', ['x']],
        ['Throw the text away?', ['y']],
        ['The text was discarded.', ['q']],
      ],
    });
    expect([answering.code, answering.stderr]).toEqual([0, expect.not.stringContaining('weather is fine')]);
    const opened = await run('bob', Social, [], {
      person: [
        [help, ['x']],
        ['The weather is fine.', ['j', 'x']],
        ['Secret \\u{202e} soup', ['j', 'x']],
        ['Nothing of this post is hidden.', ['q']],
      ],
    });
    expect(opened.code).toBe(0);
    expect(opened.stderr).not.toContain('\u202e');
  });

  it(
    'goes through long timelines, to everybody, to hubs, to members, and to what is searched',
    { tags: 'soak' },
    async () => {
      expect((await run('cleo', CreateHub, ['Garden'])).code).toBe(0);
      await written('ada', 'Rainy weather.');
      for (let number = 1; number <= 25; number += 1) await written('cleo', `Number ${number}.`);
      const gone = await run('cleo', Social, [], {
        env: await writing('In the hub.'),
        person: [
          ['Number 25.', ['G', 'j', 'G']],
          ['Number 1.', ['2']],
          ['[2 public]', ['3']],
          ['garden', [keys.enter]],
          ['[3 hub garden]', ['c']],
          ['Post in garden:', ['s']],
          ['Sent.', ['/']],
          ['Words, #tag', 'weather'],
          ['hub garden > search: weather', ['u']],
          ['search: weather > posts of @ada', ['q', 'q', 'q']],
          ['[1 home]', [keys.escape, 'q']],
        ],
      });
      expect(gone.code).toBe(0);
      expect(await texts('cleo', 'hub', 'garden')).toEqual(['In the hub.']);
      const none = await run('bob', Social, [], {
        person: [
          [help, ['3']],
          ['You are in no hub.', ['q']],
        ],
      });
      expect(none.code).toBe(0);
    },
  );

  it('shows notifications, and what they are about', { tags: 'soak' }, async () => {
    const id = await written('bob', 'Look here.');
    await run('cleo', Reply, [id, 'I see, @bob.']);
    await run('cleo', Follow, ['bob']);
    const told = await run('bob', Social, [], {
      person: [
        [help, ['4']],
        ['cleo follows you.', [keys.enter]],
        ['posts of your follower', ['q']],
        ['[4 notifications', ['j', keys.enter]],
        ['I see, @bob.', ['q']],
        ['[4 notifications', ['a']],
        ['as read.', ['?']],
        ['any key goes back', ['x']],
        ['[4 notifications]', ['q']],
      ],
    });
    expect(told.code).toBe(0);
    expect(told.stderr).toContain('mark all notifications as read');
  });

  it('ends at Ctrl-C with the terminal as it was', async () => {
    const ended = await run('bob', Social, [], { person: [[help, [keys.interrupt]]] });
    expect(ended.code).toBe(130);
    expect(ended.stderr.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});

describe('new posts beside a server', () => {
  it('appear in the reader and in a watch', { tags: 'soak' }, async () => {
    await using people = await openMailPeople('url', ['ada', 'bob']);
    await people.run('bob', Follow, ['ada']);
    let sent = false;
    const reading = await people.run('bob', Social, [], {
      person: (shown) => {
        if (shown.includes('New: a post of @ada') && shown.includes('Just now')) return 'q';
        if (shown.includes('q:back') && !sent) {
          sent = true;
          void people.run('ada', PostCommand, ['Just now']);
        }
        return undefined;
      },
    });
    expect(reading).toMatchObject({ code: 0 });
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] };
    await using client = await openClient({ env, userAgent: 'test', command: 'test' });
    const heard: string[] = [];
    const watched = watchNewPosts(
      client,
      { kind: 'home' },
      {
        tell: async ({ content }) => {
          heard.push(content);
          return false;
        },
        missed: () => undefined,
        trouble: () => undefined,
      },
    );
    // What is there at its first look is not news to it.
    while (heard.length === 0) {
      await people.run('ada', PostCommand, ['News']);
      await slowly(200);
    }
    await watched;
    expect(heard).toEqual(['News']);
    const newPosts = openNewPosts(client, { kind: 'user', name: 'ada' });
    expect(await newPosts()).toEqual({ posts: [], missed: false });
    const ada = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['ada'] };
    await using writer = await openClient({ env: ada, userAgent: 'test', command: 'test' });
    const texts = Array.from({ length: 52 }, (_, number) => `Post ${number}`);
    for (const content of texts) await perform(writer, social.createPost, { content });
    const { posts, missed } = await newPosts();
    expect([posts.map(({ content }) => content), missed]).toEqual([texts, false]);
  });
});

describe('lines of the reader', () => {
  it('fit into the screen, however narrow it is', async () => {
    expect(socialHelp.length).toBeLessThanOrEqual(80);
    const measure = await loadMeasure();
    const post = {
      _id: '01a2156143f45c033934470cd1b1a6eb',
      authorUsername: 'a-name-of-thirty-characters-xx',
      authorDisplayName: '漢字'.repeat(12),
      content: `\u001b[2J\u202e${'漢字'.repeat(40)}\nhttps://home.example/${'x'.repeat(90)}`,
      contentWarning: '',
      postType: 'reply',
      visibility: 'followers',
      isEdited: true,
      mediaAttachments: [{ mimeType: 'image/gif', altText: 'word '.repeat(30), sensitive: false }],
      likeCount: 1_000,
      repostCount: 1_000,
      replyCount: 1_000,
      quoteCount: 1_000,
      createdAt: '2026-11-26T01:02:03.000Z',
    } as unknown as Post;
    for (const width of [20, 33, 80, 200]) {
      const canvas = { width: () => width, height: () => 20 };
      const at = { width, paint: (_: string, text: string) => text };
      const reading = { canvas, measure, at, unfolded: new Set() } as never;
      for (const depth of [undefined, 0, 10]) {
        const row = depth === undefined ? { post } : { post, depth };
        const lines = linesOf(reading, row, true);
        expect(Math.max(...lines.map(measure))).toBeLessThanOrEqual(width);
        expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(lines.at(-1)).toBe('');
        if (depth === undefined) expect(lines.length).toBeLessThanOrEqual(15);
      }
    }
  });
});
