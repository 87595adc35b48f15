import { Args, Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { collectFrom, type Collected } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import type { Hub } from '../../contract/social/hub.ts';
import { social } from '../../contract/social.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import type { Shown } from '../kit/list-command.ts';

/** The argument of commands that are about one hub. */
export const hubArgument = {
  hub: Args.string({ description: 'id or slug of the hub', required: true }),
};

/** The arguments of commands that are about a member of a hub. */
export const hubAndPerson = {
  ...hubArgument,
  person: Args.string({ description: 'id or username of the member', required: true }),
};

/** The arguments of commands that are about several. */
export const hubAndPeople = {
  ...hubArgument,
  people: Args.string({ description: 'ids or usernames of members', required: true }),
};

export const reasonFlag = {
  reason: Flags.string({ description: 'why, for the member and the log', helpValue: 'TEXT' }),
};

export const neededReason = {
  reason: Flags.string({ description: 'why, for the member and the log', helpValue: 'TEXT', required: true }),
};

export const yesFlag = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

/** The hub that a word names. @throws Problem invalid VALIDATION_ERROR for `hubId`, because `id` is what the command is about */
export async function hubNamed(client: Client, idOrSlug: string): Promise<Hub & { readonly id: string }> {
  try {
    const { hub } = await perform(client, social.showHub, { id: idOrSlug });
    return { ...hub, id: hub['_id'] };
  } catch (error) {
    const [field] = error instanceof Problem ? error.fields : [];
    if (field?.path !== 'id') throw error;
    throw fieldProblem('hubId', field.message, { cause: error });
  }
}

/** The hubs of the caller. */
export async function ownHubs(client: Client, shown: Shown): Promise<Collected<Hub>> {
  return await collectFrom(
    async (page) => {
      const reply = await perform(client, social.listHubs, page);
      return Array.isArray(reply) ? { hubs: reply, hasMore: false } : reply;
    },
    ({ hubs }) => hubs,
    shown,
  );
}
