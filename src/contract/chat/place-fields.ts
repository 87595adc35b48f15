import * as v from 'valibot';
import { recordId } from '../text.ts';
import { contextTypes } from './conversation.ts';

/** What events of a conversation say first. */
export const place = {
  contextType: v.picklist(contextTypes),
  contextId: v.pipe(recordId, v.description('the same as `conversationId`')),
  conversationId: recordId,
};
/** The same of any conversation, those of the social network too. */
export const anyPlace = { ...place, contextType: v.picklist([...contextTypes, 'social_direct', 'social_group']) };
