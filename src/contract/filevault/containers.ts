import * as v from 'valibot';
import { operation } from '../operation.ts';
import { arrayOrPaged } from '../page.ts';
import { givenName, integer, recordId } from '../text.ts';
import { approvalPolicy } from './approvals.ts';
import { byteCount, container, containerState, description, listedContainer } from './fields.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/vaults';
const one = `${root}/:id`;
const name = v.pipe(
  givenName(filevaultLimits.containerName),
  v.description('unique among the containers of its owner, without regard to case; without /'),
);
const quotaBytes = v.pipe(byteCount, v.description('largest size of all its files together, in bytes'));
const days = v.nullable(integer(0, filevaultLimits.keepDays));
const keeping = {
  trashDays: v.optional(
    v.pipe(days, v.description('days after which the trash is emptied; 0: by hand alone; null: as the node has it')),
  ),
  versionPolicy: v.optional(
    v.pipe(
      v.nullable(
        v.object({
          number: v.optional(v.nullable(integer(0, filevaultLimits.keepVersions))),
          days: v.optional(days),
        }),
      ),
      v.description(
        'how many versions of a file stay, and for how many days after they were replaced: what is beyond either one is destroyed. 0: no limit; null: as the node has it',
      ),
    ),
  ),
  visibleWatermark: v.optional(v.pipe(v.boolean(), v.description('for files that are added from then on'))),
  invisibleWatermark: v.optional(v.pipe(v.boolean(), v.description('for files that are added from then on'))),
};
const stateOf = v.object({ id: recordId, state: containerState });

export const containers = {
  listContainers: operation({
    id: 'filevault.list-containers',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List your containers, and those in which you may see something',
    description: 'An array, oldest first. With `limit` or `cursor`, a page. Counts include what is in the trash.',
    ...arrayOrPaged({ name: 'vaults', of: listedContainer }),
    status: 200,
    message: 'Containers',
    scope: 'files',
  }),
  createContainer: operation({
    id: 'filevault.create-container',
    method: 'POST',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Create a container with an empty root folder',
    description: 'Without `quotaBytes`, the quota of the member is the only limit.',
    input: v.object({
      name,
      description: v.optional(description),
      quotaBytes: v.optional(quotaBytes),
      quorumGoverned: v.optional(
        v.pipe(v.boolean(), v.description('destruction needs a proposal that the quorum executed')),
        false,
      ),
      clientEncrypted: v.optional(
        v.pipe(
          v.boolean(),
          v.description('its members encrypt it: the node gets neither keys nor plaintext, and shows no preview'),
        ),
        false,
      ),
    }),
    reply: container,
    status: 201,
    message: 'Container created',
    errors: ['CONTAINER_NAME_TAKEN'],
    scope: 'files',
  }),
  showContainer: operation({
    id: 'filevault.show-container',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show a container',
    description: 'For its owner, and for members who may see something in it.',
    input: v.object({ id: recordId }),
    reply: container,
    status: 200,
    message: 'Container',
    errors: ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
  changeContainer: operation({
    id: 'filevault.change-container',
    method: 'PATCH',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Change the name, description or quota of a container, what it keeps, or the approvals that it needs',
    description: 'For its owner. What is left out stays. A quota below what is used only stops uploads.',
    input: v.object({
      id: recordId,
      name: v.optional(name),
      description: v.optional(description),
      quotaBytes: v.optional(v.nullable(quotaBytes)),
      approvals: v.optional(
        v.pipe(approvalPolicy, v.description('to lower one takes an approval of `acl_change` on the container')),
      ),
      ...keeping,
    }),
    reply: container,
    status: 200,
    message: 'Container changed',
    errors: [
      'CONTAINER_NOT_FOUND',
      'CONTAINER_DESTROYED',
      'CONTAINER_LOCKED',
      'CONTAINER_NAME_TAKEN',
      'APPROVAL_REQUIRED',
    ],
    scope: 'files',
  }),
  lockContainer: operation({
    id: 'filevault.lock-container',
    method: 'POST',
    path: `${one}/lock`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Lock a container: nothing in it can be changed',
    description: 'For its owner. Downloads and previews still work. An upload that has begun cannot be finished.',
    input: v.object({ id: recordId }),
    reply: stateOf,
    status: 200,
    message: 'Container locked',
    errors: ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
  destroyContainer: operation({
    id: 'filevault.destroy-container',
    method: 'POST',
    path: `${one}/destroy`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Destroy a container for good, with all its files',
    description:
      'For its owner. Every file is destroyed by itself, and has its own proof. If the server stops meanwhile, it goes on at its next start.',
    input: v.object({ id: recordId }),
    reply: v.object({ succeeded: v.number(), failed: v.number() }),
    status: 200,
    message: 'Container destroyed',
    errors: [
      'CONTAINER_NOT_FOUND',
      'CONTAINER_DESTROYED',
      'APPROVAL_REQUIRED',
      'QUORUM_APPROVAL_REQUIRED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
    ],
  }),
  unlockContainer: operation({
    id: 'filevault.unlock-container',
    method: 'POST',
    path: `${one}/unlock`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Unlock a container',
    description: 'For its owner. What is in it can be changed again.',
    input: v.object({ id: recordId }),
    reply: stateOf,
    status: 200,
    message: 'Container unlocked',
    errors: ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
};
