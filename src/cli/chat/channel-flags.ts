import { Flags } from '@oclif/core';
import type { chat } from '../../contract/chat.ts';
import { channelVisibilities, type ChannelVisibility } from '../../contract/chat/conversation.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { bare } from './rooms/find-room.ts';
import { ruleChange, ruleFlags } from './rooms/rules.ts';

const visibility = {
  description: 'public: all find and join it; private: all find it; secret, invisible: only those who are invited',
  options: [...channelVisibilities],
};
const topic = { topic: Flags.string({ description: 'what it is about, in one line', helpValue: 'TEXT' }) };

export const newChannelFlags = {
  visibility: Flags.string({ ...visibility, default: 'public' }),
  ...topic,
  'hide-history': Flags.boolean({ description: 'new members see only what is said from then on' }),
};

export const channelFlags = {
  name: Flags.string({ description: 'its new name', helpValue: 'NAME' }),
  ...topic,
  visibility: Flags.string(visibility),
  'show-history': Flags.boolean({
    description: 'those who join see what is said from now on',
    exclusive: ['hide-history'],
  }),
  'hide-history': Flags.boolean({ description: 'those who join see only what is said from then on' }),
  ...ruleFlags,
};

interface Chosen {
  readonly name?: string | undefined;
  readonly topic?: string | undefined;
  readonly visibility?: string | undefined;
  readonly 'show-history': boolean;
  readonly 'hide-history': boolean;
  readonly slow?: string | undefined;
  readonly retention?: string | undefined;
}

/** What the flags change. @throws Problem invalid USAGE if they change nothing */
export function channelChange(flags: Chosen): Omit<RawInputOf<typeof chat.updateChannel>, 'conversationId'> {
  const change = {
    ...(flags.name !== undefined && { name: bare(flags.name) }),
    ...(flags.topic !== undefined && { topic: flags.topic }),
    ...(flags.visibility !== undefined && { visibility: flags.visibility as ChannelVisibility }),
    ...((flags['show-history'] || flags['hide-history']) && { historyVisibleToNewMembers: !flags['hide-history'] }),
    ...ruleChange(flags),
  };
  if (Object.keys(change).length > 0) return change;
  const ways = '--name, --topic, --visibility, --show-history, --hide-history, --slow or --retention';
  throw new Problem('invalid', 'USAGE', `Nothing to change. Use ${ways}.`);
}
