import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { pool } from '../../contract/pool.ts';
import { Problem } from '../../base/problem.ts';
import { findMember } from '../accounts/find-member.ts';

const modes = ['approval', 'open', 'closed'] as const;

export const aclFlags = {
  mode: Flags.option({
    options: modes,
    description: 'approval: an administrator decides; open: every node that asks is admitted; closed: no node may ask',
  })(),
  'add-admin': Flags.string({
    description: 'administrator of this node, by username, e-mail or id; repeat for more',
    helpValue: 'MEMBER',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'add-key': Flags.string({
    description:
      'public key of an administrator of another node, as admin members show prints it there; repeat for more',
    helpValue: 'KEY',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'remove-admin': Flags.string({
    description: 'administrator of the pool, by username, e-mail or id; repeat for more',
    helpValue: 'MEMBER',
    multiple: true,
    multipleNonGreedy: true,
  }),
  threshold: Flags.integer({
    description: 'how many administrators must sign a change of the list',
    min: 1,
    helpValue: 'N',
  }),
};

interface Given {
  readonly threshold?: number | undefined;
  readonly mode?: (typeof modes)[number] | undefined;
  readonly 'add-admin'?: readonly string[] | undefined;
  readonly 'add-key'?: readonly string[] | undefined;
  readonly 'remove-admin'?: readonly string[] | undefined;
}

/** Builds the change that the flags ask for, with members looked up by name. */
export async function aclChange(client: Client, given: Given): Promise<RawInputOf<typeof pool.updateAcl>> {
  const { mode, threshold, 'add-admin': add = [], 'add-key': keys = [], 'remove-admin': remove = [] } = given;
  if (mode === undefined && threshold === undefined && add.length + keys.length + remove.length === 0)
    throw new Problem(
      'invalid',
      'USAGE',
      'Nothing to change. Give --mode, --add-admin, --add-key, --remove-admin or --threshold.',
    );
  const addAdmins: string[] = [];
  for (const name of add) addAdmins.push((await findMember(client, name)).id);
  return {
    ...(mode !== undefined && { mode }),
    ...(threshold !== undefined && { threshold }),
    ...(addAdmins.length > 0 && { addAdmins }),
    ...(keys.length > 0 && { addKeys: [...keys] }),
    ...(remove.length > 0 && { removeAdmins: await listedAdmins(client, remove) }),
  };
}

/** Administrators of the pool may not be members of this node, so an id from the list, or its beginning, is enough. */
async function listedAdmins(client: Client, names: readonly string[]): Promise<string[]> {
  const { acl } = await perform(client, pool.acl, {});
  const found: string[] = [];
  for (const name of names) {
    const listed = acl.admins.filter(({ memberId }) => memberId.startsWith(name.toLowerCase()));
    const [one] = listed;
    found.push(one !== undefined && listed.length === 1 ? one.memberId : (await findMember(client, name)).id);
  }
  return found;
}
