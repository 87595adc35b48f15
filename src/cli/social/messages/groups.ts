import { Flags } from '@oclif/core';
import type { Client } from '../../../client/client.ts';
import type { RawInputOf, ReplyOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { bare } from '../../chat/rooms/find-room.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { uploadMedia } from '../media.ts';
import { asListed, type ListedSocial } from './own-conversations.ts';

export const groupFlags = {
  name: Flags.string({ description: 'its new name', helpValue: 'NAME' }),
  picture: Flags.string({ description: 'file with its new picture', helpValue: 'FILE', exclusive: ['no-picture'] }),
  'no-picture': Flags.boolean({ description: 'take its picture away' }),
};

type Change = Omit<RawInputOf<typeof social.changeConversation>, 'id'>;

interface Chosen {
  readonly name?: string | undefined;
  readonly picture?: string | undefined;
  readonly 'no-picture': boolean;
}

/** What the flags change, without the new picture. @throws Problem invalid USAGE if they change nothing */
export function changeIn({ name, picture, 'no-picture': isBare }: Chosen): Change {
  if (name === undefined && picture === undefined && !isBare)
    throw new Problem('invalid', 'USAGE', 'Nothing to change. Use --name, --picture or --no-picture.');
  return { ...(name !== undefined && { name: bare(name) }), ...(isBare && { avatarUrl: null }) };
}

/** Uploads the new picture, if there is one. @throws Problem as `uploadMedia` does */
export async function pictureFor(terminal: Terminal, client: Client, file: string | undefined): Promise<Change> {
  if (file === undefined) return {};
  const [media] = await uploadMedia(terminal, client, [{ file }]);
  return media === undefined ? {} : { avatarUrl: media.url };
}

/** The group that began. */
export function groupOf(reply: ReplyOf<typeof social.beginConversation>): ListedSocial {
  if (!('conversationId' in reply)) return asListed(reply);
  throw new Problem('network', 'BAD_REPLY', 'The server answered with a message request to a new group.');
}
