import * as v from 'valibot';
import { operation } from '../operation.ts';
import { email, givenName, hex, line, memberId, recordId, timestamp } from '../text.ts';
import { quorumLimits } from './limits.ts';

const root = '/api/quorum/members';

const metadata = v.object({
  name: v.string(),
  email: v.optional(v.pipe(v.string(), v.description('only for members of the quorum and administrators'))),
  role: v.optional(v.string()),
});

/** A member of the quorum, who is not the same as an account of the node. */
const quorumMember = v.object({
  id: v.pipe(memberId, v.description('made from the public key, as that of an account is')),
  publicKey: v.pipe(v.string(), v.description('compressed, hex')),
  metadata,
  isActive: v.boolean(),
  accountId: v.optional(v.pipe(memberId, v.description('the account that is linked'))),
  linkUnverified: v.optional(
    v.pipe(
      v.literal(true),
      v.description(
        'the account was linked by an e-mail address that nobody verified, before that was needed; only for members and administrators',
      ),
    ),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type QuorumMember = v.InferOutput<typeof quorumMember>;

const byId = v.object({ memberId });

/** What a removal means for documents. */
const affected = v.object({
  holdersChanged: v.pipe(v.number(), v.description('documents of which the member has a share; share them anew')),
  outOfReach: v.pipe(
    v.array(recordId),
    v.description(
      'of them those that too few members are left for; they can be opened again when the member is added with the same key',
    ),
  ),
});

export const quorumMembers = {
  addMember: operation({
    id: 'quorum.add-member',
    method: 'POST',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Add a member to the quorum',
    description:
      'For administrators, in bootstrap mode; later it needs a proposal `ADD_MEMBER`. Without `publicKey` the node makes a key pair and ' +
      'returns its recovery phrase once; nothing keeps it. With it, the phrase never leaves the machine of the member. The member is ' +
      'linked to the account that has this key, to that of `accountId`, or to the one whose verified e-mail address `email` is by then.',
    input: v.object({
      name: givenName(quorumLimits.name),
      email: v.optional(email),
      role: v.optional(line(quorumLimits.role)),
      publicKey: v.optional(v.pipe(hex(33), v.description('of a key pair that the member made; compressed'))),
      accountId: v.optional(
        v.pipe(memberId, v.description('the account of the member on this node; not another one than that of the key')),
      ),
    }),
    reply: v.object({ member: quorumMember, mnemonic: v.optional(v.string()) }),
    status: 201,
    message: 'Member added',
    errors: ['INVALID_MEMBER_COUNT', 'QUORUM_MEMBER_EXISTS', 'QUORUM_MEMBER_BANNED', 'PROPOSAL_REQUIRED'],
    secretReply: true,
  }),
  listMembers: operation({
    id: 'quorum.list-members',
    method: 'GET',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the active members of the quorum, in order of their names',
    description:
      'Any member of the node may read it. E-mail addresses are for members of the quorum and administrators alone.',
    input: v.object({}),
    reply: v.object({ members: v.array(quorumMember) }),
    status: 200,
    message: 'Members',
    errors: [],
  }),
  showMember: operation({
    id: 'quorum.show-member',
    method: 'GET',
    path: `${root}/:memberId`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show a member of the quorum, or a former one',
    description:
      'Former members have `isActive` false, and are there for members and administrators only. Their shares in older documents open ' +
      'nothing here.',
    input: byId,
    reply: v.object({ member: quorumMember }),
    status: 200,
    message: 'Member',
    errors: ['MEMBER_NOT_FOUND'],
  }),
  removeMember: operation({
    id: 'quorum.remove-member',
    method: 'DELETE',
    path: `${root}/:memberId`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Remove a member from the quorum',
    description:
      'For administrators, in bootstrap mode; later it needs a proposal `REMOVE_MEMBER`. Shares of the member stay where they are and ' +
      'open nothing here any more; `documents` says what should be shared anew.',
    input: byId,
    reply: v.object({ success: v.literal(true), memberId, documents: affected }),
    status: 200,
    message: 'Member removed',
    errors: ['MEMBER_NOT_FOUND', 'INVALID_MEMBER_COUNT', 'PROPOSAL_REQUIRED'],
  }),
  linkMember: operation({
    id: 'quorum.link-member',
    method: 'POST',
    path: `${root}/:memberId/link`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Link your account to the member of the quorum that you are',
    description:
      'The signature, by the key of the member, is over canonical JSON (RFC 8785) of `{t: "conclave-quorum-link", v: 1, nodeId, memberId, accountId}`.',
    input: v.object({
      memberId,
      signature: v.pipe(hex(64), v.description('r and s of ECDSA on secp256k1 over SHA-256')),
    }),
    reply: v.object({ member: quorumMember }),
    status: 200,
    message: 'Account linked',
    errors: ['MEMBER_NOT_FOUND', 'INVALID_SIGNATURE', 'QUORUM_MEMBER_EXISTS'],
  }),
};
