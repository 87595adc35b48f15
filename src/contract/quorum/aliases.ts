import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { recordId, timestamp } from '../text.ts';

const rule = 'must be 3 to 32 of a-z, 0-9, dot, hyphen and underscore';

/** A name in place of an identity. Upper case counts as lower case. */
export const aliasName = v.pipe(
  v.string('must be text'),
  v.maxLength(32, rule),
  v.toLowerCase(),
  v.regex(/^[a-z0-9._-]{3,32}$/, rule),
);

const alias = v.object({
  aliasName: v.string(),
  documentId: v.pipe(recordId, v.description('the sealed identity')),
  proposalId: v.pipe(recordId, v.description('the proposal that registered it')),
  registeredAt: timestamp,
});
export type QuorumAlias = v.InferOutput<typeof alias>;

export const quorumAliases = {
  checkAlias: operation({
    id: 'quorum.check-alias',
    method: 'GET',
    path: '/api/quorum/aliases/:name',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Check whether an alias is available',
    description:
      'A proposal `REGISTER_ALIAS` registers it. Who is behind a registered one opens with an executed proposal `IDENTITY_DISCLOSURE` alone.',
    input: v.object({ name: aliasName }),
    reply: v.object({ alias: v.object({ aliasName: v.string(), available: v.boolean() }) }),
    status: 200,
    message: 'Alias',
    errors: [],
  }),
  listAliases: operation({
    id: 'quorum.list-aliases',
    method: 'GET',
    path: '/api/quorum/aliases',
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the registered aliases, in order of their names',
    description: 'For active members of the quorum and administrators. Identities stay sealed.',
    ...paged({ name: 'aliases', of: alias }),
    status: 200,
    message: 'Aliases',
  }),
};
