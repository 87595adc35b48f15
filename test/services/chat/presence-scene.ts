import { expect } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { presence } from '../../../src/contract/chat/presence.ts';
import type { ChosenStatus } from '../../../src/contract/chat/presence.ts';
import type { Context } from '../../../src/service/context.ts';
import { presenceSockets } from '../../../src/shared/presence/board.ts';
import { hearPresence, stepPresence } from '../../../src/shared/presence/step.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openHeard } from '../social/heard-scene.ts';
import { done, groupOf } from './chat-scene.ts';
import { openChat } from './scene.ts';

/** A node with ann, bob and cleo, whose sockets come and go, and whose steps a test takes. */
export async function openPresence(engine: EngineName) {
  const setting = await openHeard(async (options) => await openChat(engine, options));
  const { house } = setting.scene;
  const { ctx } = house;
  setting.sockets.register({ sockets: presenceSockets(ctx) });
  const hearing = await hearPresence(ctx);
  /** another process on the same store */
  const other: Context = { ...ctx, realtime: { ...ctx.realtime, id: 'another house' } };
  const names = new Map(
    [setting.scene.ann, setting.scene.bob, setting.scene.cleo].map((one) => [one.memberId, one.username]),
  );
  return {
    ...setting,
    other,
    come: ({ memberId }: HouseMember, where = ctx) => presenceSockets(where).came(memberId),
    leave: ({ memberId }: HouseMember, where = ctx) => presenceSockets(where).left(memberId),
    /** gives a sign over a socket */
    act: ({ memberId }: HouseMember, where = ctx) => presenceSockets(where).seen(memberId),
    inbox: async (who: HouseMember) => (await setting.listen(who, `inbox:${who.memberId}`))!,
    async pass(ms: number, ...where: Context[]) {
      house.clock.advance(ms);
      for (const process of where.length === 0 ? [ctx] : where) await stepPresence(process);
    },
    /** takes steps without time in between, until it holds */
    told: async (holds: () => void) =>
      await eventually(async () => {
        await stepPresence(ctx);
        holds();
      }),
    /** what a listener was told in each frame: `bob online, cleo idle` */
    heard: ({ heard }: TestListener) =>
      heard
        .filter(({ type }) => type === 'communication:presence_changed')
        .map(({ data }) =>
          (data.changes as { memberId: string; status: string }[])
            .map(({ memberId, status }) => `${names.get(memberId)} ${status}`)
            .toSorted()
            .join(', '),
        ),
    async sees(who: HouseMember, ...whom: readonly { readonly memberId: string }[]) {
      const { items } = await done(house, presence.showPresence, who, {
        memberIds: whom.map(({ memberId }) => memberId),
      });
      return items.map(({ status }) => status).join(' ');
    },
    set: async (who: HouseMember, status: ChosenStatus) => await done(house, presence.setPresence, who, { status }),
    async hide(who: HouseMember, hidden = true) {
      const body = { privacySettings: { showOnlineStatus: !hidden } };
      const { status } = await house.api('PUT', `/api/social/users/${who.memberId}`, { token: who.token, body });
      if (status !== 200) throw new Error(`hiding answered ${status}`);
    },
    async [Symbol.asyncDispose]() {
      await hearing[Symbol.asyncDispose]();
      await setting[Symbol.asyncDispose]();
    },
  };
}

/** The same with ann and bob in a group, who are there and told so, and what ann hears. */
export async function openPresenceOfTwo(engine: EngineName) {
  const scene = await openPresence(engine);
  const { ann, bob, house } = scene.scene;
  await groupOf(house, [ann, bob]);
  for (const who of [ann, bob]) scene.come(who);
  const inbox = await scene.inbox(ann);
  await scene.pass(chatLimits.restMs);
  await scene.told(() => expect(scene.heard(inbox)).toEqual(['ann online, bob online']));
  return { ...scene, ann, bob, house, inbox };
}
