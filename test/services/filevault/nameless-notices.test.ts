import { describe, expect, it } from 'vitest';
import { openPushService } from '../../shared/notifications/push-service.ts';
import { config } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openScene, type Scene } from './scene.ts';
import { fetchContent, makeLink } from './sharing-scene.ts';

const HOUR = 3_600_000;
const NAME = 'layoffs';
const mine = (scene: Scene) => `${scene.owner.username} shared a file with you.`;

/** A member with a browser, who is told by every channel. */
async function openTold(engine: (typeof engines)[number]) {
  const service = await openPushService();
  const scene = await openScene(engine, { config, context: { outgoing: service.outgoing } });
  const reader = await scene.house.register({ username: 'reader' });
  await ask(scene.house, reader, 'POST', '/push-subscriptions', service.browser().subscription);
  return {
    scene,
    reader,
    /** all that the reader finds anywhere: both lists, push messages, the past of the socket, and digests */
    async found(who: HouseMember): Promise<Record<'list' | 'files' | 'push' | 'events' | 'mail', string>> {
      scene.house.clock.advance(HOUR);
      await runDueJobs(scene, 'notifications');
      const as = { token: who.token };
      const mails = (await scene.house.api('GET', '/api/emails/inbox', as)).body.data.emails as { id: string }[];
      const texts = mails.map(async ({ id }) => (await scene.house.api('GET', `/api/emails/${id}/content`, as)).body);
      return {
        list: JSON.stringify(await ask(scene.house, who, 'GET', '')),
        files: JSON.stringify(await scene.get('GET', '/notifications?limit=100', undefined, as)),
        push: JSON.stringify(service.received.map(({ message }) => message)),
        events: JSON.stringify(scene.house.happened),
        mail: JSON.stringify(await Promise.all(texts)),
      };
    },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function blocks({ house }: Scene, blocked: HouseMember, { token }: HouseMember): Promise<void> {
  const path = `/api/social/users/${blocked.username}/block`;
  expect((await house.api('POST', path, { token, body: {} })).status).toBe(200);
}

async function suspended({ house }: Scene, { memberId }: HouseMember): Promise<void> {
  const token = await house.operatorToken();
  const path = `/api/admin/members/${memberId}/suspend`;
  expect((await house.api('POST', path, { token, trusted: true, body: { reason: 'A test' } })).status).toBe(200);
}

describe.each(engines)('names of files in notices on %s', (engine) => {
  it('stand in no list, push message, event or digest, however the right ends', async () => {
    await using setting = await openTold(engine);
    const { scene, reader, found } = setting;
    const [granted, other] = [await scene.folder('granted'), await scene.folder('other')];
    const folder = await scene.folder(`${NAME}-folder`, granted);
    const file = async (name: string, where = scene.rootId) => await scene.file('x', { name, folder: where });
    const [trashed, listed, shared] = [
      await file(`${NAME}-1.txt`),
      await file(`${NAME}-2.txt`),
      await file(`${NAME}-3.txt`),
    ];
    const share = async (fileId: string) =>
      await scene.get('POST', '/share/internal', { fileId, recipientId: reader.memberId });
    for (const id of [trashed, shared]) await share(id);
    const rights = { principalId: reader.memberId, level: 'editor' };
    await scene.grant('folder', granted, rights);
    await scene.grant('file', listed, { principalId: reader.memberId, flags: ['read', 'share', 'download'] });
    // A link of the reader's, and a file that the reader stored.
    const link = await makeLink(scene, listed, {}, reader.token);
    await fetchContent(scene, link.token);
    const stored = await scene.file('y', { name: `${NAME}-4.txt`, folder, token: reader.token });
    const scheduledAt = new Date(scene.house.clock.now() + 1_000 * HOUR).toISOString();
    await scene.get('POST', `/destroy/${stored}/schedule`, { scheduledAt });

    const before = await found(reader);
    for (const text of Object.values(before)) {
      expect(text).toContain(mine(scene));
      expect(text).toContain('Your link to a file was opened for the first time.');
      expect(text).toContain('scheduled the destruction of a file of yours for');
      expect(text).not.toContain(NAME);
    }
    const ends: (() => Promise<unknown>)[] = [
      async () => await scene.get('DELETE', `/files/${trashed}`),
      async () => await scene.get('PUT', `/acl/file/${listed}`, { entries: [] }),
      async () => await scene.get('POST', `/folders/${folder}/move`, { itemType: 'folder', newParentId: other }),
      async () => await blocks(scene, scene.owner, reader),
      async () => await suspended(scene, scene.owner),
    ];
    for (const end of ends) {
      await end();
      for (const text of Object.values(await found(reader))) expect(text).not.toContain(NAME);
    }
  });
});
