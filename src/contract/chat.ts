import { direct } from './chat/direct.ts';
import { groups } from './chat/groups.ts';
import { members } from './chat/members.ts';
import { messages } from './chat/messages.ts';
import { moderation } from './chat/moderation.ts';
import { places } from './chat/places.ts';

/** Conversations of members, prefixes `/api/conversations` and `/api/groups`. */
export const chat = { ...direct, ...groups, ...messages, ...places, ...members, ...moderation };
