import type { Mutant } from './mutant.ts';

const folder = 'src/services/filevault';
const tests = (...names: string[]) => names.map((name) => `test/services/filevault/${name}.test.ts`);

export const fileMutants: readonly Mutant[] = [
  {
    file: `${folder}/access/places.ts`,
    what: 'permission that an operation needs',
    from: '  if (!place.rights.flags.has(flag)) throw flagMissing(flag);\n',
    to: '',
    tests: tests('permissions', 'folders'),
  },
  {
    file: `${folder}/access/places.ts`,
    what: 'lock of a container',
    from: "  if (changingFlags.has(flag) && place.container.state === 'locked') throw containerLocked();\n",
    to: '',
    tests: tests('folders', 'uploads', 'sharing'),
  },
  {
    file: `${folder}/access/places.ts`,
    what: 'what has gone from the trash by the clock',
    from: '  if (place.inTrash && alsoGone !== true && (await hasGone(ctx, place))) throw nodeNotFound(kind);\n',
    to: '',
    tests: tests('trash'),
  },
  {
    file: `${folder}/access/rights.ts`,
    what: 'conditions of an entry',
    from: '({ conditions }) => conditions === undefined || holds(conditions, moment)',
    to: '() => true || moment',
    tests: tests('permissions'),
  },
  {
    file: `${folder}/uploads/begin.ts`,
    what: 'quota of a container',
    from: 'where id = $2 and (quota is null or used + reserved + $1 <= quota)',
    to: 'where id = $2',
    tests: tests('uploads', 'quotas.thorough'),
  },
  {
    file: `${folder}/uploads/chunks.ts`,
    what: 'right that was taken away while a chunk came',
    from: '  await requireTarget(tx, actor, upload);\n',
    to: '',
    tests: tests('uploads', 'checks/meanwhile.thorough'),
  },
  {
    file: `${folder}/sharing/opening.ts`,
    what: 'how often a link may be opened',
    from: "    .where((e) => e.or([e('max_count', 'is', null), e('access_count', '<', e.ref('max_count'))]))\n",
    to: '',
    tests: tests('sharing-links.thorough'),
  },
  {
    file: `${folder}/sharing/live-links.ts`,
    what: 'right of whoever made a link',
    from: "  if (!rights.flags.has('share') || !rights.flags.has('download') || !(await isActive(ctx, link.created_by)))\n    throw linkRevoked();\n",
    to: '',
    tests: tests('sharing-ends.thorough'),
  },
  {
    file: `${folder}/approvals/guard.ts`,
    what: 'how many have approved',
    from: '    if ((await countingVotes(tx, row)).length < Math.max(needed, row.required)) continue;\n',
    to: '',
    tests: tests('approvals.thorough'),
  },
  {
    file: `${folder}/destruction/destroy.ts`,
    what: 'second permission of a destruction',
    from: "  if (!place.rights.flags.has('admin')) throw flagMissing('admin');\n",
    to: '',
    tests: tests('destruction'),
  },
  {
    file: `${folder}/proofs/non-access.ts`,
    what: 'file that was opened',
    from: '  if (place.node.accessed_at !== null) throw accessed();\n',
    to: '',
    tests: tests('proofs.thorough', 'proof-refusals.thorough'),
  },
  {
    file: `${folder}/client-keys/generations.ts`,
    what: 'key that members who lost access have',
    from: '  if (await isOutdated(ctx, container, newest)) throw keyOutdated();\n',
    to: '',
    tests: tests('client-encrypted.thorough'),
  },
  {
    file: 'src/services/filevault/content/container-keys.ts',
    what: 'newest key for what is finished after somebody lost the access',
    from: 'if (newest.number === content.key_number) return;',
    to: 'if (newest.number >= content.key_number) return;',
    tests: ['test/services/filevault/member-keys.test.ts'],
  },
];
