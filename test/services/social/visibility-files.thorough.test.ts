import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { engines } from '../../support/stores.ts';
import { gif } from '../filevault/pictures.ts';
import { runSocialJobs } from './due-jobs.ts';
import { rules, type Seen } from './visibility-rules.ts';
import { kinds, openWorld, tag, viewers, type Kind, type Made, type Viewer, type World } from './visibility-world.ts';

type Expected = Readonly<Record<string, string>>;
const tableOf = (seen: (viewer: Viewer) => string): Expected =>
  Object.fromEntries(viewers.map((viewer) => [viewer, seen(viewer)]));

describe.each(engines)('checks 2 and 4, who gets files and feeds of posts on %s', (engine) => {
  let world: World;
  const attached = new Map<string, string>();
  const appPasswords = new Map<string, string>();

  beforeAll(async () => {
    world = await openWorld(engine, {
      config: { social: { rss: true, publicUrl: 'https://home.example' } },
      attach: async ({ house }, { memberId, token }) => {
        const rawBody = new Uint8Array(gif(16, 16, (x) => x > 8));
        const headers = { 'content-type': 'application/octet-stream', 'content-length': String(rawBody.length) };
        const { data } = (await house.api('POST', '/api/social/media', { token, rawBody, headers })).body;
        attached.set(memberId, data.url);
        return [data];
      },
      signedIn: async ({ house }, { username, token }) => {
        const { body } = await house.perform(accounts.createAppPassword, { name: 'Reader', scopes: ['feeds'] }, token);
        appPasswords.set(token, `Basic ${Buffer.from(`${username}:${body.password}`).toString('base64')}`);
      },
    });
    // Everybody had bookmarked, liked and voted for everything, when it was for them.
    const { db } = world.scene.house.ctx;
    const members = await db.selectFrom('members').select('id').execute();
    for (const { id: memberId } of members)
      for (const { id: postId } of Object.values(world.made)) {
        const about = { post_id: postId, member_id: memberId };
        await insertRows(db, 'social_bookmarks', [{ ...about, id: `${memberId}${postId.slice(-8)}` }]);
        await insertRows(db, 'social_likes', [{ ...about, created_at: 1 }]);
        await insertRows(db, 'social_votes', [{ ...about, value: 1, created_at: 1 }]);
      }
  });
  afterAll(async () => await world[Symbol.asyncDispose]());

  const get = async (path: string, authorization?: string): Promise<{ status: number; bytes: Buffer }> => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await world.scene.house.fetch(new Request(`http://house.test${path}`, { headers }));
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const bearer = (viewer: Viewer, kind: Kind) => {
    const token = world.tokenOf(viewer, kind);
    return token === undefined ? undefined : `Bearer ${token}`;
  };
  const asked = async (
    kind: Kind,
    ask: (viewer: Viewer, made: Made) => Promise<{ status: number; bytes: Buffer }>,
    shows: (text: string, made: Made) => boolean,
  ): Promise<Expected> => {
    const made = world.made[kind];
    const found: [Viewer, string][] = [];
    for (const viewer of viewers) {
      const { status, bytes } = await ask(viewer, made);
      const isSeen = status === 200 && shows(bytes.toString('latin1'), made);
      if (![200, 401, 404].includes(status)) throw new Error(`${viewer}: ${status} ${bytes.toString('utf8')}`);
      found.push([viewer, status === 401 ? '401' : isSeen ? 'seen' : 'hidden']);
    }
    return Object.fromEntries(found);
  };

  it.each(kinds)('media of a post: %s', async (kind) => {
    const url = attached.get(world.made[kind].author.memberId) ?? '';
    const found = await asked(
      kind,
      async (viewer) => await get(url, bearer(viewer, kind)),
      (text) => text.startsWith('GIF8'),
    );
    expect(found).toEqual(rules[kind]);
  });

  // Anybody gets the same, whoever they say they are.
  it.each(kinds)('RSS of its author and of its hashtag: %s', async (kind) => {
    const forAll: Seen = kind === 'public' ? 'seen' : 'hidden';
    for (const path of [`/users/${world.made[kind].author.memberId}`, `/hashtag/${tag}`]) {
      const found = await asked(
        kind,
        async (viewer) => await get(`/api/social${path}/feed.rss`, bearer(viewer, kind)),
        (text, { word, id }) => text.includes(word) || text.includes(id),
      );
      expect(found).toEqual(tableOf(() => forAll));
    }
  });

  it.each(['in a hub', 'in an encrypted hub'] as const)('RSS of its hub: %s', async (kind) => {
    const found = await asked(
      kind,
      async (viewer, { hub }) =>
        await get(`/api/social/hubs/${hub}/feed.rss`, appPasswords.get(world.tokenOf(viewer, kind) ?? '')),
      (text, { word, id }) => text.includes(word) || text.includes(id),
    );
    const signedOut = (viewer: Viewer) => rules[kind][viewer] === '401';
    expect(found).toEqual(
      kind === 'in a hub' ? rules[kind] : tableOf((viewer) => (signedOut(viewer) ? '401' : 'hidden')),
    );
  });

  it.each(kinds)('an export of bookmarks: %s', async (kind) => {
    const found = await asked(
      kind,
      async (viewer) => await get('/api/social/export/bookmarks', bearer(viewer, kind)),
      (text, { id }) => text.includes(id),
    );
    expect(found).toEqual(rules[kind]);
  });

  it('an archive, of everything at once', { tags: 'soak' }, async () => {
    const { house } = world.scene;
    const archives = new Map<string, { status: number; bytes: Buffer }>();
    const tokens = new Set(viewers.flatMap((viewer) => kinds.map((kind) => world.tokenOf(viewer, kind))));
    for (const token of tokens) await house.api('POST', '/api/social/archive', { token });
    await runSocialJobs(world.scene);
    for (const token of tokens)
      archives.set(
        token ?? '',
        await get('/api/social/archive/download', token === undefined ? undefined : `Bearer ${token}`),
      );
    for (const kind of kinds) {
      const archive = async (viewer: Viewer) =>
        archives.get(world.tokenOf(viewer, kind) ?? '') ?? { status: 0, bytes: Buffer.alloc(0) };
      // Its id, its reactions, and its text.
      expect(await asked(kind, archive, (text, { id }) => text.includes(id)), kind).toEqual(rules[kind]);
      // What others wrote in an encrypted hub is in no archive.
      const words = (viewer: Viewer): Seen =>
        kind === 'in an encrypted hub' && viewer !== 'author' && rules[kind][viewer] === 'seen'
          ? 'hidden'
          : rules[kind][viewer];
      expect(await asked(kind, archive, (text, { word }) => text.includes(word)), kind).toEqual(tableOf(words));
      const media = attached.get(world.made[kind].author.memberId)?.split('/').at(-1) ?? '';
      expect(await asked(kind, archive, (text) => text.includes(media)), kind).toEqual(tableOf(words));
    }
  });
});
