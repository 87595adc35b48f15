import type { ActionType, PayloadOf } from '../../../contract/quorum/actions.ts';
import type { Action, Payload } from './action.ts';
import { deregisterAlias, identityDisclosure, registerAlias } from './actions/aliases.ts';
import { reshareDocument, unsealDocument } from './actions/documents.ts';
import { poolNodeApprove, vaultContainerDestroy, vaultFileDestroy } from './actions/services.ts';
import { addMember, removeMember } from './actions/members.ts';
import { banMember, unbanMember } from './actions/bans.ts';
import { custom } from './actions/custom.ts';
import { changeInnerQuorum, changeThreshold, transitionToQuorumMode } from './actions/rules.ts';

/** What each type of the contract does. */
const actions: { readonly [T in ActionType]: Action<PayloadOf<T>> } = {
  ADD_MEMBER: addMember,
  REMOVE_MEMBER: removeMember,
  CHANGE_THRESHOLD: changeThreshold,
  CHANGE_INNER_QUORUM: changeInnerQuorum,
  TRANSITION_TO_QUORUM_MODE: transitionToQuorumMode,
  BAN_MEMBER: banMember,
  UNBAN_MEMBER: unbanMember,
  UNSEAL_DOCUMENT: unsealDocument,
  RESHARE_DOCUMENT: reshareDocument,
  REGISTER_ALIAS: registerAlias,
  DEREGISTER_ALIAS: deregisterAlias,
  IDENTITY_DISCLOSURE: identityDisclosure,
  POOL_NODE_APPROVE: poolNodeApprove,
  VAULT_FILE_DESTROY: vaultFileDestroy,
  VAULT_CONTAINER_DESTROY: vaultContainerDestroy,
  CUSTOM: custom,
};

/** @param type its payload has passed `checkPayload` for the same type */
export function actionOf(type: ActionType): Action<Payload> {
  return actions[type];
}
