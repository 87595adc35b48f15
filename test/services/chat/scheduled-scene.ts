import { messages } from '../../../src/contract/chat/messages.ts';
import { scheduled } from '../../../src/contract/chat/scheduled.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done } from './chat-scene.ts';
import { told } from './scene.ts';

export const minute = 60_000;

export const ahead = ({ clock }: House, ms: number): string => new Date(clock.now() + ms).toISOString();
export const listOf = async (house: House, who: HouseMember) =>
  (await done(house, scheduled.listScheduled, who, {})).items;
export const rows = async ({ ctx }: House) => await ctx.db.selectFrom('conversation_scheduled').selectAll().execute();
export const textsIn = async (house: House, who: HouseMember, conversationId: string) =>
  (await done(house, messages.groupMessages, who, { conversationId })).items.map(({ content }) => content);
export const became = (house: House, { memberId }: HouseMember) =>
  told(house, `inbox:${memberId}`).flatMap(([name, data]) =>
    name === 'conversation:scheduled' ? [[data.status, data.reason]] : [],
  );
export const notified = async ({ ctx }: House, { memberId }: HouseMember) =>
  (
    await ctx.db
      .selectFrom('notifications')
      .select('content')
      .where('recipient_id', '=', memberId)
      .where('type', '=', 'system_alert')
      .execute()
  ).map(({ content }) => content);
