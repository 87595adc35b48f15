import { recordId } from '../text.ts';
import type { ContextType } from './conversation.ts';

/** Where conversations of each type are. */
export const roots = {
  direct: '/api/conversations',
  group: '/api/groups',
  channel: '/api/channels',
} as const satisfies Readonly<Record<ContextType, string>>;

/** The documents call it by the type of the conversation too. */
export const inConversation = { conversationId: recordId };
