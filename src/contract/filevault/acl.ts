import * as v from 'valibot';
import { operation } from '../operation.ts';
import { arrayOrPaged } from '../page.ts';
import { givenName, memberId, memberName, recordId, timestamp } from '../text.ts';
import { filevaultLimits, permissionFlags, permissionLevels } from './limits.ts';

const root = '/filevault/acl';
const target = `${root}/:targetType/:targetId`;
const flag = v.picklist(permissionFlags);
const flags = v.pipe(v.array(flag), v.maxLength(permissionFlags.length, 'names a flag twice'));
const clock = v.pipe(v.string('must be text'), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 08:30'));

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const hours = v.strictObject({
  from: clock,
  to: v.pipe(clock, v.description('exclusive; before `from`, it is of the next day')),
  days: v.optional(v.pipe(v.array(v.picklist(days)), v.minLength(1, 'must not be empty'))),
  timeZone: v.pipe(v.string(), v.maxLength(64, 'is too long'), v.description('of the IANA database')),
});

const cidr = v.pipe(v.string('must be text'), v.maxLength(64, 'is too long'), v.examples(['192.0.2.0/24']));

/** Strict: a condition whose name is misspelled must not count as no condition. */
const conditions = v.strictObject({
  cidrs: v.optional(
    v.pipe(
      v.array(cidr),
      v.minLength(1, 'must not be empty'),
      v.maxLength(filevaultLimits.cidrs, `must be at most ${filevaultLimits.cidrs}`),
    ),
  ),
  notBefore: v.optional(timestamp),
  notAfter: v.optional(v.pipe(timestamp, v.description('exclusive'))),
  hours: v.optional(hours),
});
export type Conditions = v.InferOutput<typeof conditions>;

const entryFields = {
  level: v.optional(v.picklist(permissionLevels)),
  flags: v.optional(v.pipe(flags, v.description('empty: denied'))),
  customPermissionSetId: v.optional(v.nullable(recordId)),
  conditions: v.optional(v.pipe(conditions, v.description('the entry counts only while all of them hold'))),
};

const givenEntry = v.object({ principalId: memberName, ...entryFields });
export type GivenEntry = v.InferOutput<typeof givenEntry>;

const aclEntry = v.object({ principalId: memberId, username: v.optional(v.string()), ...entryFields });
export type AclEntry = v.InferOutput<typeof aclEntry>;

const permissionSet = v.object({
  id: recordId,
  name: v.string(),
  flags: v.array(flag),
  organizationId: v.optional(v.string()),
  createdBy: memberId,
  createdAt: timestamp,
});
export type PermissionSet = v.InferOutput<typeof permissionSet>;

const organizationId = v.optional(v.pipe(recordId, v.description('a number that groups the sets; it grants nothing')));
const ofTarget = { targetType: v.picklist(['file', 'folder']), targetId: recordId };
const missing = ['FOLDER_NOT_FOUND', 'FILE_NOT_FOUND', 'FILE_DESTROYED', 'CONTAINER_DESTROYED'] as const;

export const acl = {
  createPermissionSet: operation({
    id: 'filevault.create-permission-set',
    method: 'POST',
    path: `${root}/permission-sets`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Create a permission set of your own',
    description: 'A named set of flags for entries of access control lists. Members use their own sets.',
    input: v.object({ name: givenName(filevaultLimits.permissionSetName), flags, organizationId }),
    reply: permissionSet,
    status: 201,
    message: 'Permission set created',
    errors: ['PERMISSION_SETS_FULL', 'NAME_TAKEN'],
  }),
  listPermissionSets: operation({
    id: 'filevault.list-permission-sets',
    method: 'GET',
    path: `${root}/permission-sets`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List your permission sets',
    description: 'An array, oldest first. With `limit` or `cursor`, a page.',
    ...arrayOrPaged({ name: 'permissionSets', of: permissionSet, filter: { organizationId } }),
    status: 200,
    message: 'Permission sets',
  }),
  removePermissionSet: operation({
    id: 'filevault.remove-permission-set',
    method: 'DELETE',
    path: `${root}/permission-sets/:id`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Remove a permission set of your own',
    description: 'A set that an entry uses stays.',
    input: v.object({ id: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Permission set removed',
    errors: ['PERMISSION_SET_NOT_FOUND', 'PERMISSION_SET_IN_USE'],
  }),
  showEffective: operation({
    id: 'filevault.effective-permissions',
    method: 'GET',
    path: `${target}/effective/:principalId`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show what a member may do with a file or folder now',
    description:
      'For yourself, or with `share` or `admin` for anybody. The conditions of another member are those of your address and of this moment. `source` is where the permissions come from.',
    input: v.object({ ...ofTarget, principalId: memberId }),
    reply: v.object({
      flags: v.array(flag),
      level: v.picklist([...permissionLevels, 'custom', 'none']),
      inherited: v.boolean(),
      source: v.string(),
    }),
    status: 200,
    message: 'Effective permissions',
    errors: [...missing, 'MEMBER_NOT_FOUND'],
    scope: 'files',
  }),
  showAcl: operation({
    id: 'filevault.show-acl',
    method: 'GET',
    path: target,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the access control list of a file or folder',
    description:
      'The entries of this file or folder alone, without inherited ones. Without `share` and `admin`, only those of yourself.',
    input: v.object(ofTarget),
    reply: v.object({ entries: v.array(aclEntry) }),
    status: 200,
    message: 'Access control list',
    errors: missing,
    scope: 'files',
  }),
  putAcl: operation({
    id: 'filevault.put-acl',
    method: 'PUT',
    path: target,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Replace the access control list of a file or folder',
    description:
      'Needs `admin`. For a member, the nearest list with an entry for that member decides: this one before those of the folders above. Several entries for a member add up, and there are at most 10 of them. An empty list is none. Nobody grants what they do not hold.',
    input: v.object({
      ...ofTarget,
      entries: v.pipe(
        v.array(givenEntry),
        v.maxLength(filevaultLimits.aclEntries, `must be at most ${filevaultLimits.aclEntries}`),
      ),
    }),
    reply: v.object({
      updated: v.literal(true),
      keyOutdated: v.optional(
        v.pipe(
          v.boolean(),
          v.description(
            'for a client-encrypted container: a member lost access who has its key, so nothing is stored until the owner makes a new one',
          ),
        ),
      ),
    }),
    status: 200,
    message: 'Access control list replaced',
    errors: [...missing, 'CONTAINER_LOCKED', 'PERMISSION_SET_NOT_FOUND', 'APPROVAL_REQUIRED'],
  }),
};
