import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { engines } from '../../support/stores.ts';
import { openPushService, type Browser, type PushService } from '../../shared/notifications/push-service.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { ask } from './notifying.ts';

export const subscriptions = '/push-subscriptions';

export interface Scene extends AsyncDisposable {
  readonly house: House;
  readonly service: PushService;
  subscribe(who: HouseMember): Promise<Browser & { readonly id: string }>;
  deliver(): Promise<void>;
  /** paths and contents that came since the last call */
  came(): [string, string][];
}

export async function openPushScene(engine: (typeof engines)[number]): Promise<Scene> {
  const service = await openPushService();
  const house = await openHouse(engine, { context: { outgoing: service.outgoing, notificationRules: [] } });
  return {
    house,
    service,
    async subscribe(who) {
      const browser = service.browser();
      const { subscription } = await ask(house, who, 'POST', subscriptions, browser.subscription);
      return { ...browser, id: subscription.id };
    },
    deliver: async () => await runDueJobs({ house }, 'notifications'),
    came: () => service.received.splice(0).map(({ path, message }) => [path, message?.content]),
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

export const subscriptionRows = async ({ house }: Scene) =>
  await house.ctx.db.selectFrom('push_subscriptions').select(['id', 'failures']).execute();
export const jobRows = async ({ house }: Scene) =>
  await house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'notification-push').execute();
