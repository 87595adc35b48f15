import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import {
  atLeast,
  givenName,
  integer,
  memberId,
  memberName,
  paragraph,
  recordId,
  secretText,
  timestamp,
} from '../text.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/canary/bindings';
const one = `${root}/:id`;
const some = <Of extends v.GenericSchema>(of: Of) =>
  v.pipe(
    v.array(of),
    v.minLength(1, 'must not be empty'),
    v.maxLength(filevaultLimits.canaryTargets, `must be at most ${filevaultLimits.canaryTargets}`),
  );

const condition = v.picklist(['ABSENCE', 'PRESENCE', 'DURESS']);
const level = v.picklist(['viewer', 'editor']);
const target = { targetType: v.picklist(['file', 'folder']), targetId: recordId };
const message = v.pipe(paragraph(filevaultLimits.canaryMessage), v.minLength(1, 'must not be empty'));

/** @param member how members are named: by anything when they are given, by their id when they are shown */
const actionsOf = <Member extends v.GenericSchema<string>>(member: Member) =>
  v.pipe(
    v.array(
      v.variant('type', [
        v.object({ type: v.literal('notify'), members: some(member), message }),
        v.object({ type: v.literal('share'), ...target, recipients: some(member), level: v.optional(level, 'viewer') }),
        v.object({ type: v.literal('destroy'), fileIds: some(recordId) }),
      ]),
    ),
    v.minLength(1, 'must not be empty'),
    v.maxLength(filevaultLimits.canaryActions, `must be at most ${filevaultLimits.canaryActions}`),
  );

const actions = actionsOf(memberId);
export type CanaryAction = v.InferOutput<typeof actions>[number];

const name = givenName(filevaultLimits.canaryName);
const hours = v.pipe(
  integer(1, filevaultLimits.canaryHours),
  v.description('of ABSENCE: so long without a check-in or a sign-in'),
);
const warnHours = v.pipe(
  integer(1, filevaultLimits.canaryHours),
  v.description('of ABSENCE: the warning comes so long before; 24 hours, or half of a shorter time'),
);
const fileIds = v.pipe(some(recordId), v.description('of PRESENCE: files that nobody has a reason to open'));
const code = v.pipe(secretText(256), atLeast(8), v.metadata({ minLength: 8 }));

const binding = v.object({
  id: recordId,
  name: v.string(),
  condition,
  hours: v.optional(v.number()),
  warnHours: v.optional(v.number()),
  fileIds: v.optional(v.array(recordId)),
  actions,
  state: v.pipe(
    v.picklist(['armed', 'fired', 'off']),
    v.description('of DURESS it does not tell whether the code was used'),
  ),
  lastCheckInAt: v.optional(timestamp),
  warnsAt: v.optional(timestamp),
  firesAt: v.optional(v.pipe(timestamp, v.description('of ABSENCE, unless you check in or sign in before'))),
  firedAt: v.optional(timestamp),
  outcomes: v.optional(
    v.pipe(
      v.array(v.object({ step: v.string(), outcome: v.nullable(v.string()) })),
      v.description('once it went off: `done`, a code, or null while it is not done'),
    ),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CanaryBinding = v.InferOutput<typeof binding>;

const step = v.object({
  step: v.string(),
  allowed: v.boolean(),
  refusal: v.optional(v.pipe(v.string(), v.description('a code: why it would be refused'))),
});

/** What an owner may bind: the rights are checked now, and again when it goes off. */
const binding4xx = [
  'FILE_NOT_FOUND',
  'FILE_DESTROYED',
  'FOLDER_NOT_FOUND',
  'CONTAINER_DESTROYED',
  'CONTAINER_LOCKED',
] as const;

export const canaries = {
  createCanary: operation({
    id: 'filevault.create-canary',
    method: 'POST',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Bind actions to your absence, to the opening of decoys, or to a duress code',
    description:
      'ABSENCE: you neither check in nor sign in for so many hours; you are warned before. PRESENCE: somebody else opens one of the files. DURESS: you give this code when you sign in or check in, and the answer is the same as always. You need the rights for the actions, now and when they are done.',
    input: v.object({
      name,
      condition,
      hours: v.optional(hours),
      warnHours: v.optional(warnHours),
      fileIds: v.optional(fileIds),
      code: v.optional(v.pipe(code, v.description('of DURESS: a second secret'))),
      actions: actionsOf(memberName),
    }),
    reply: binding,
    status: 201,
    message: 'Canary bound',
    errors: [...binding4xx, 'MEMBER_NOT_FOUND', 'CANARIES_FULL', 'OVERLOADED'],
  }),
  listCanaries: operation({
    id: 'filevault.list-canaries',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List your canaries',
    description: 'Oldest first. Nobody else knows of them.',
    ...paged({ name: 'bindings', of: binding }),
    status: 200,
    message: 'Canaries',
  }),
  showCanary: operation({
    id: 'filevault.show-canary',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show a canary of yours',
    description: 'With the outcome of each step, once it went off.',
    input: v.object({ id: recordId }),
    reply: binding,
    status: 200,
    message: 'Canary',
    errors: ['CANARY_NOT_FOUND'],
  }),
  changeCanary: operation({
    id: 'filevault.change-canary',
    method: 'PATCH',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Change a canary, turn it off, or arm it again',
    description:
      'What is left out stays. To arm it counts as a check-in. One that went off does so again only if it is armed again.',
    input: v.object({
      id: recordId,
      name: v.optional(name),
      hours: v.optional(hours),
      warnHours: v.optional(warnHours),
      fileIds: v.optional(fileIds),
      code: v.optional(code),
      actions: v.optional(actionsOf(memberName)),
      armed: v.optional(v.boolean()),
    }),
    reply: binding,
    status: 200,
    message: 'Canary changed',
    errors: ['CANARY_NOT_FOUND', ...binding4xx, 'MEMBER_NOT_FOUND', 'OVERLOADED'],
  }),
  removeCanary: operation({
    id: 'filevault.remove-canary',
    method: 'DELETE',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Remove a canary',
    description: 'What it has begun to do goes on no further.',
    input: v.object({ id: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Canary removed',
    errors: ['CANARY_NOT_FOUND'],
  }),
  checkIn: operation({
    id: 'filevault.check-in',
    method: 'POST',
    path: `${one}/check-in`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Check in: you are there',
    description: 'The answer is the same without a code, with a duress code, and with any other.',
    input: v.object({ id: recordId, code: v.optional(secretText(256)) }),
    reply: v.object({ checkedIn: v.literal(true), at: timestamp, firesAt: v.optional(timestamp) }),
    status: 200,
    message: 'Checked in',
    errors: ['CANARY_NOT_FOUND', 'OVERLOADED'],
  }),
  dryRun: operation({
    id: 'filevault.dry-run-canary',
    method: 'POST',
    path: `${one}/dry-run`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Say what a canary would do if it went off now, and do nothing',
    description: 'Each step is tried in a transaction that is given up.',
    input: v.object({ id: recordId }),
    reply: v.object({ steps: v.array(step), warnsAt: v.optional(timestamp), firesAt: v.optional(timestamp) }),
    status: 200,
    message: 'Nothing was done',
    errors: ['CANARY_NOT_FOUND'],
  }),
};
