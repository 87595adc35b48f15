import type { AccessList } from '../../contract/pool/shapes.ts';

type Acl = AccessList['acl'];
type Writer = Acl['writers'][number];
type Tombstone = NonNullable<Acl['tombstones']>[number];

/** What a next access list changes, in words: everything that differs, but for what every version has anew. */
export function aclChanges(before: Acl, next: Acl): string[] {
  const admins = compared(before.admins, next.admins, ({ memberId }) => memberId);
  const writers = compared(before.writers, next.writers, ({ nodeId }) => nodeId);
  const refused = compared(before.tombstones ?? [], next.tombstones ?? [], ({ nodeId }) => nodeId);
  return [
    ...writers.added.map((one) => `Admits node ${one.nodeId}, ${writerWords(one)}`),
    ...writers.removed.map(({ nodeId }) => `Removes node ${nodeId}`),
    ...writers.changed.map(([was, is]) => `Changes node ${is.nodeId}: ${writerWords(is)}; before: ${writerWords(was)}`),
    ...refused.added.map((one) => `Remembers that node ${one.nodeId} is ${refusalWords(one)}`),
    ...refused.removed.map((one) => `Forgets that node ${one.nodeId} is ${refusalWords(one)}`),
    ...refused.changed.map(
      ([was, is]) => `Remembers that node ${is.nodeId} is ${refusalWords(is)}; before: ${refusalWords(was)}`,
    ),
    ...admins.added.map(({ memberId, publicKey }) => `Adds administrator ${memberId}, key ${publicKey}`),
    ...admins.removed.map(({ memberId, publicKey }) => `Removes administrator ${memberId}, key ${publicKey}`),
    ...admins.changed.map(
      ([was, is]) => `Changes the key of administrator ${is.memberId} to ${is.publicKey}; before: ${was.publicKey}`,
    ),
    ...changed('Signatures that a change needs', before.threshold, next.threshold),
    ...changed('Mode', before.mode, next.mode),
    ...changed('Scope', scopeWords(before), scopeWords(next)),
    ...changed('Pool', before.poolId, next.poolId),
    ...reordered(before, next),
  ];
}

function changed(what: string, was: string | number, is: string | number): string[] {
  return was === is ? [] : [`${what}: ${is}; before: ${was}`];
}

function scopeWords({ scope }: Acl): string {
  return scope.collection === undefined ? scope.database : `${scope.database}/${scope.collection}`;
}

function writerWords({ publicKey, mailDomain, addedAt, addedBy, expiresAt }: Writer): string {
  const end = expiresAt === null ? 'without an end' : `until ${expiresAt}`;
  const mail = mailDomain === undefined ? 'no mail domain' : `mail for ${mailDomain}`;
  return `key ${publicKey}, ${end}, ${mail}, added ${addedAt} by ${addedBy}`;
}

function refusalWords({ kind, at, by }: Tombstone): string {
  return `${kind} since ${at} by ${by}`;
}

function compared<T>(before: readonly T[], next: readonly T[], idOf: (one: T) => string) {
  const was = new Map(before.map((one) => [idOf(one), one]));
  const is = new Map(next.map((one) => [idOf(one), one]));
  return {
    added: next.filter((one) => !was.has(idOf(one))),
    removed: before.filter((one) => !is.has(idOf(one))),
    changed: next.flatMap((one): (readonly [T, T])[] => {
      const old = was.get(idOf(one));
      return old === undefined || sorted(old) === sorted(one) ? [] : [[old, one]];
    }),
  };
}

function sorted(value: unknown): string {
  return JSON.stringify(Object.entries(value as object).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The same entries in another order are another document. */
function reordered(before: Acl, next: Acl): string[] {
  const kept = (of: readonly string[], others: readonly string[]) => of.filter((id) => others.includes(id)).join(' ');
  const lists = [
    ['nodes', before.writers.map(({ nodeId }) => nodeId), next.writers.map(({ nodeId }) => nodeId)],
    [
      'refused nodes',
      (before.tombstones ?? []).map(({ nodeId }) => nodeId),
      (next.tombstones ?? []).map(({ nodeId }) => nodeId),
    ],
    ['administrators', before.admins.map(({ memberId }) => memberId), next.admins.map(({ memberId }) => memberId)],
  ] as const;
  return lists.flatMap(([what, was, is]) =>
    kept(was, is) === kept(is, was) ? [] : [`Lists the ${what} in another order`],
  );
}
