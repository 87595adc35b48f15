import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { Draft, drafts } from '../../contract/chat/drafts.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { requireSeat } from '../../shared/conversations/conversation.ts';
import { deleteDraft, readDraft, saveDraft } from '../../shared/conversations/unsent/drafts.ts';

type Contract = typeof drafts;

/** The drafts of members in conversations of one type. */
function draftsOf(type: ContextType) {
  const types = [type];
  return {
    show: async (
      ctx: Context,
      actor: Actor,
      { conversationId }: InputOf<Contract['directDraft']>,
    ): Promise<ReplyOf<Contract['directDraft']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      return { draft: await readDraft(ctx, seat, actor.memberId) };
    },

    save: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...draft }: InputOf<Contract['directSaveDraft']>,
    ): Promise<Draft> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        return await saveDraft(tx, seat, actor.memberId, draft);
      });
    },

    delete: async (
      ctx: Context,
      actor: Actor,
      { conversationId }: InputOf<Contract['directDeleteDraft']>,
    ): Promise<{ deleted: true }> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        await deleteDraft(tx, seat, actor.memberId);
        return { deleted: true };
      });
    },
  };
}

export const { show: directDraft, save: directSaveDraft, delete: directDeleteDraft } = draftsOf('direct');
export const { show: groupDraft, save: groupSaveDraft, delete: groupDeleteDraft } = draftsOf('group');
export const { show: channelDraft, save: channelSaveDraft, delete: channelDeleteDraft } = draftsOf('channel');
