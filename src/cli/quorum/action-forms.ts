import type { ActionType } from '../../contract/quorum/actions.ts';

/** What a field of an action is, so that people can type or pick it: a member by name, a document by the first digits of its id. */
export type FieldKind = 'member' | 'members' | 'document' | 'number' | 'text' | 'json';

export interface ActionField {
  /** in the payload */
  readonly name: string;
  /** in arguments: `member=ada` */
  readonly word: string;
  readonly kind: FieldKind;
  readonly ask: string;
  readonly optional?: true;
}

interface ActionForm {
  /** what happens when it is carried out */
  readonly does: string;
  readonly fields: readonly ActionField[];
}

const memberField: ActionField = { name: 'memberId', word: 'member', kind: 'member', ask: 'Member' };
const documentField: ActionField = { name: 'documentId', word: 'document', kind: 'document', ask: 'Document' };
const aliasField: ActionField = { name: 'aliasName', word: 'alias', kind: 'text', ask: 'Alias' };
const targetField: ActionField = { name: 'targetId', word: 'target', kind: 'text', ask: 'Id' };

function text(name: string, word: string, ask: string): ActionField {
  return { name, word, kind: 'text', ask };
}

/** What people are asked for, action by action. The contract checks the values. */
export const actionForms: Readonly<Record<ActionType, ActionForm>> = {
  ADD_MEMBER: {
    does: 'adds somebody to the quorum',
    fields: [
      text('name', 'name', 'Name'),
      { ...text('email', 'email', 'E-mail address'), optional: true },
      { ...text('role', 'role', 'Role'), optional: true },
      {
        ...text(
          'publicKey',
          'key',
          'Public key (empty: that of the account, or of the one with this verified address)',
        ),
        optional: true,
      },
      { ...text('accountId', 'account', 'Id of the account'), optional: true },
    ],
  },
  REMOVE_MEMBER: { does: 'removes a member from the quorum', fields: [memberField] },
  CHANGE_THRESHOLD: {
    does: 'changes how many members decide together',
    fields: [{ name: 'threshold', word: 'threshold', kind: 'number', ask: 'So many members decide together' }],
  },
  CHANGE_INNER_QUORUM: {
    does: 'lets some members alone decide on everything but the membership',
    fields: [{ name: 'memberIds', word: 'members', kind: 'members', ask: 'Members of the inner quorum' }],
  },
  TRANSITION_TO_QUORUM_MODE: { does: 'lets members alone decide about members, for good', fields: [] },
  BAN_MEMBER: {
    does: 'removes somebody who cannot come back until that is lifted',
    fields: [memberField, text('reason', 'reason', 'Reason')],
  },
  UNBAN_MEMBER: { does: 'lifts a ban', fields: [text('memberId', 'member', 'Id of the banned member')] },
  UNSEAL_DOCUMENT: { does: 'lets you ask the holders of a document for their shares', fields: [documentField] },
  RESHARE_DOCUMENT: { does: 'lets you share a document anew', fields: [documentField] },
  REGISTER_ALIAS: {
    does: 'registers an alias for an identity, which is sealed',
    fields: [
      aliasField,
      { name: 'identity', word: 'identity', kind: 'json', ask: 'Identity, as JSON', optional: true },
      { ...documentField, ask: 'Sealed identity', optional: true },
    ],
  },
  DEREGISTER_ALIAS: { does: 'ends an alias', fields: [aliasField] },
  IDENTITY_DISCLOSURE: { does: 'lets you ask for the identity behind an alias', fields: [aliasField] },
  POOL_NODE_APPROVE: {
    does: 'admits a node that asks to join the pool',
    fields: [text('nodeId', 'node', 'Id of the node')],
  },
  VAULT_FILE_DESTROY: { does: 'allows that a file is destroyed', fields: [targetField] },
  VAULT_CONTAINER_DESTROY: { does: 'allows that a container is destroyed', fields: [targetField] },
  CUSTOM: { does: 'records that something was decided', fields: [] },
};

/** The form of an action that a server names, which may be newer than this program. */
export function formOf(actionType: string): ActionForm {
  if (Object.hasOwn(actionForms, actionType)) return actionForms[actionType as ActionType];
  return { does: 'is not known to this program, which may be older than the server', fields: [] };
}
