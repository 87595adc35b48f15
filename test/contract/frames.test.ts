import { describe, expect, it } from 'vitest';
import { chatFrames as frames } from '../../src/contract/chat/events.ts';
import { channels } from '../../src/contract/chat/channels.ts';
import { groups } from '../../src/contract/chat/groups.ts';
import { places } from '../../src/contract/chat/places.ts';
import { presence } from '../../src/contract/chat/presence.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { conversations } from '../../src/contract/social/conversations.ts';
import { messages as social } from '../../src/contract/social/messages.ts';

/** The requests that call what a frame calls. */
const sameAs: { readonly [Frame in keyof typeof frames]: readonly Operation[] } = {
  sendMessage: [groups.sendToGroup, channels.sendToChannel, social.sendMessage],
  typing: [places.directTyping, places.groupTyping, places.channelTyping, conversations.typeInConversation],
  read: [places.directRead, places.groupRead, places.channelRead],
  setPresence: [presence.setPresence],
  watchPresence: [presence.showPresence],
  subscribe: [],
  unsubscribe: [],
};

describe('frames of conversations', () => {
  it.each(Object.entries(frames))('declare all that they can answer: %s', (name, { errors, limit }) => {
    const declared = sameAs[name as keyof typeof frames].flatMap(({ errors: codes }) => codes);
    const expected = new Set(declared);
    if (limit !== undefined) expected.add('RATE_LIMITED');
    expect([...expected].filter((code) => !errors.includes(code))).toEqual([]);
    // Nor anything that no request answers. The rules of the words of a message depend on where it goes, so no schema has all of them.
    expect(errors.filter((code) => !expected.has(code) && code !== 'VALIDATION_ERROR')).toEqual([]);
  });
});
