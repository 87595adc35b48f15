import * as v from 'valibot';
import { email, givenName, hex, line, memberId, paragraph, recordId } from '../text.ts';
import { aliasName } from './aliases.ts';
import { quorumLimits } from './limits.ts';

/** The proposer, as an account or a member of the quorum. It may be left out, and is not stored: the proposal names the proposer. */
const proposer = { proposerMemberId: v.optional(memberId) };

/** A payload. A field that its type doesn't have is refused, because nobody should approve what is not carried out. */
function payload<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject({ ...entries, ...proposer });
}

const onMember = payload({ memberId: v.pipe(memberId, v.description('of the quorum')) });
const onDocument = payload({ documentId: recordId });
const onAlias = payload({ aliasName });
const onTarget = payload({ targetId: v.pipe(recordId, v.description('of the file or the container')) });

/** Any JSON object, whose size is limited. */
const anything = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check(
    (fields) => JSON.stringify(fields).length <= quorumLimits.customBytes,
    `must be at most ${quorumLimits.customBytes} characters of JSON`,
  ),
);

/** What a proposal can decide, with the fields of its payload. An action is a line here and one in the table of the service. */
export const actionPayloads = {
  ADD_MEMBER: payload({
    name: givenName(quorumLimits.name),
    email: v.optional(email),
    role: v.optional(line(quorumLimits.role)),
    publicKey: v.optional(
      v.pipe(
        hex(33),
        v.description(
          'compressed; if it is left out, that of `accountId` or of the account with this verified e-mail address',
        ),
      ),
    ),
    accountId: v.optional(
      v.pipe(
        memberId,
        v.description(
          'the account that will be linked; if it is left out, the node fills in the one with this key or this verified e-mail address',
        ),
      ),
    ),
    linkedBy: v.optional(
      v.pipe(
        v.picklist(['key', 'account', 'email']),
        v.description('what says that the account is theirs; the node fills it in, whatever it was'),
      ),
    ),
  }),
  REMOVE_MEMBER: onMember,
  CHANGE_THRESHOLD: payload({
    threshold: v.pipe(v.number('must be a number'), v.integer('must be a whole number')),
  }),
  CHANGE_INNER_QUORUM: payload({
    memberIds: v.pipe(
      v.array(memberId),
      v.maxLength(quorumLimits.members, `must be at most ${quorumLimits.members} members`),
      v.description('at least as many as the threshold; empty: there is no inner quorum'),
    ),
  }),
  TRANSITION_TO_QUORUM_MODE: payload({}),
  BAN_MEMBER: payload({
    memberId: v.pipe(memberId, v.description('of the quorum, also a former one')),
    reason: v.pipe(paragraph(quorumLimits.reason), v.minLength(1, 'must not be empty')),
  }),
  UNBAN_MEMBER: onMember,
  UNSEAL_DOCUMENT: onDocument,
  RESHARE_DOCUMENT: onDocument,
  REGISTER_ALIAS: payload({
    aliasName,
    identity: v.optional(
      v.pipe(anything, v.description('who is behind it; it is sealed at once, and the proposal has the document')),
    ),
    documentId: v.optional(v.pipe(recordId, v.description('an identity that was sealed before'))),
  }),
  DEREGISTER_ALIAS: onAlias,
  IDENTITY_DISCLOSURE: onAlias,
  POOL_NODE_APPROVE: payload({ nodeId: v.pipe(hex(20), v.description('of a node that asks to join the pool')) }),
  VAULT_FILE_DESTROY: onTarget,
  VAULT_CONTAINER_DESTROY: onTarget,
  CUSTOM: anything,
} as const;

/** Whether votes can be signed over it: its texts are well-formed Unicode, and its numbers finite. */
function isSignable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inside]) => name.isWellFormed() && isSignable(inside));
}

/** The payload of any action, whose fields depend on the type. */
export const actionPayload = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((fields) => isSignable(fields), 'must have well-formed Unicode and finite numbers only'),
);

export type ActionType = keyof typeof actionPayloads;

/** What is stored, and what the action gets. */
export type PayloadOf<T extends ActionType> = Omit<v.InferOutput<(typeof actionPayloads)[T]>, 'proposerMemberId'>;

export const actionTypes = Object.keys(actionPayloads) as [ActionType, ...ActionType[]];
