import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { socketMembers, type SocketMember } from '../../platform/realtime/socket-members.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { engines, createPostgresDatabase } from '../../support/stores.ts';
import type { WireFrame, WsClient } from '../../support/ws-client.ts';
import { inStage } from '../../support/stage.ts';

describe.each(engines)('checks 12 and 13, open sockets of a served node on %s', (engine) => {
  let node: RunningNode;
  let database: (AsyncDisposable & { readonly url: string }) | undefined;
  beforeAll(async () => {
    if (engine === 'postgres') database = await createPostgresDatabase({ migrated: true });
    node = await startNode({ env: database === undefined ? {} : { CONCLAVE_DATABASE: database.url } });
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  const { api, register, signedIn } = socketMembers(() => node);

  const ask = async ({ token }: SocketMember, method: string, path: string, body: unknown = {}): Promise<WireFrame> => {
    const answer = await api(method, `/api/social${path}`, token, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body['data'];
  };
  const hear = async (socket: WsClient, topic: string): Promise<number> => {
    socket.send({ type: 'subscribe', topics: [topic] });
    return (await socket.next())['count'];
  };
  /** All that came to a socket, up to now: what was sent before the answer to a ping comes before it. */
  const heardBy = async (socket: WsClient): Promise<WireFrame[]> => {
    const frames: WireFrame[] = [];
    socket.send({ type: 'ping' });
    for (let frame = await socket.next(); frame['type'] !== 'pong'; frame = await socket.next()) frames.push(frame);
    return frames;
  };

  it.each(inStage(['encrypted'], ['encrypted'], ['open', 'encrypted']))(
    'hear nothing of a hub after the answer to a ban or a removal, nor by resuming: %s',
    async (trustTier) => {
      const [owner, banned, removed, gone, stays] = [
        await register(),
        await register(),
        await register(),
        await register(),
        await register(),
      ];
      const { _id: hub } = await ask(owner, 'POST', '/hubs', { name: 'Garden', trustTier });
      const topic = `hub:${hub}`;
      for (const who of [banned, removed, gone, stays]) await ask(who, 'POST', `/hubs/${hub}/join`);
      using toBanned = await signedIn(banned.token);
      using toRemoved = await signedIn(removed.token);
      using toGone = await signedIn(gone.token);
      using toStaying = await signedIn(stays.token);
      const parted = [toBanned, toRemoved, toGone];
      for (const socket of [...parted, toStaying]) expect(await hear(socket, topic)).toBe(1);
      const write = async (content: string) =>
        (await ask(owner, 'POST', '/posts', { content, hubIds: [hub] }))['_id'] as string;
      const first = await write('For all');
      const idsOf = (frames: WireFrame[]) =>
        frames.flatMap(({ type, data }) => (type === 'hub:post:new' ? [data.post['_id']] : []));
      for (const socket of [...parted, toStaying])
        for (;;) {
          const frame = await socket.next();
          if (frame['type'] !== 'hub:post:new') continue;
          expect(idsOf([frame])).toEqual([first]);
          break;
        }

      await ask(owner, 'POST', `/hubs/${hub}/ban`, { userId: banned.memberId });
      await ask(owner, 'DELETE', `/hubs/${hub}/members`, { userIds: [removed.memberId] });
      await ask(gone, 'POST', `/hubs/${hub}/leave`);
      const before = [await heardBy(toBanned), await heardBy(toRemoved), await heardBy(toGone)];
      for (const frames of before) expect(idsOf(frames)).toEqual([]);
      const later = [await write('For those who stay'), await write('And this')];
      // Whoever stays hears both: by then they would have come to the others too.
      const heard: string[] = [];
      while (heard.length < 2) heard.push(...idsOf([await toStaying.next()]));
      expect(heard).toEqual(later);
      for (const socket of parted) {
        const frames = await heardBy(socket);
        expect(frames.filter((frame) => frame['topic'] === topic)).toEqual([]);
        expect(JSON.stringify(frames)).not.toContain(later[0]);
        expect(await hear(socket, topic)).toBe(0);
        socket.send({ type: 'resume', topics: { [topic]: 0 } });
        const answers = await heardBy(socket);
        expect(answers).toMatchObject([{ type: 'subscribed', count: 0, refusedTopics: [topic] }]);
        socket.send({ type: 'subscribe:hub', hubId: hub });
        expect((await socket.next())['count']).toBe(0);
      }
    },
  );

  const suspend = async ({ memberId }: SocketMember) => {
    const suspended = await node.control(
      new Request(`http://localhost/api/admin/members/${memberId}/suspend`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await node.engine.operatorToken()}` },
        body: JSON.stringify({ reason: 'A test' }),
      }),
    );
    expect(suspended.status).toBe(200);
  };

  it('hear what goes out of sight: a post that is removed, an author who is suspended, and who is protected', async () => {
    const [owner, author, reader, shy] = [await register(), await register(), await register(), await register()];
    const { _id: hub } = await ask(owner, 'POST', '/hubs', { name: 'Pond' });
    for (const who of [author, reader]) await ask(who, 'POST', `/hubs/${hub}/join`);
    const own = await ask(reader, 'POST', '/posts', { content: 'Tea' });
    const { _id: id } = await ask(author, 'POST', '/posts', { content: 'Words', hubIds: [hub] });
    await ask(shy, 'POST', '/posts', { content: 'Hear me', parentPostId: own['_id'] });
    using socket = await signedIn(reader.token);
    const topics = [`hub:${hub}`, `notifications:${reader.memberId}`];
    for (const topic of topics) expect(await hear(socket, topic)).toBe(1);
    await ask(owner, 'POST', `/hubs/${hub}/remove-post`, { postId: id });
    expect(await socket.next()).toMatchObject({ type: 'hub:post:removed', data: { postId: id, hubId: hub } });
    await ask(shy, 'PUT', `/users/${shy.memberId}`, { isProtected: true });
    expect((await socket.next())['type']).toBe('notification:deleted');
    expect(await socket.next()).toMatchObject({ type: 'notification:count', data: { unreadCount: 0 } });
    await ask(author, 'POST', '/posts', { content: 'More words', hubIds: [hub] });
    expect((await socket.next())['type']).toBe('hub:post:new');
    await suspend(author);
    const gone = { hubId: hub, authorId: author.memberId };
    expect(await socket.next()).toMatchObject({ type: 'hub:author:hidden', data: gone });
  });

  it('end with the session and with a suspension', async () => {
    const [ada, bob, chief] = [await register(), await register(), await register()];
    using ofAda = await signedIn(ada.token);
    expect((await api('POST', '/api/user/logout', ada.token)).status).toBe(200);
    expect(await ofAda.closed).toMatchObject({ code: 4002 });
    using ofBob = await signedIn(bob.token);
    const { _id: hub } = await ask(chief, 'POST', '/hubs', { name: 'Tea' });
    await ask(bob, 'POST', `/hubs/${hub}/join`);
    expect(await hear(ofBob, `hub:${hub}`)).toBe(1);
    await suspend(bob);
    expect(await ofBob.closed).toMatchObject({ code: 4002 });
  });
});
